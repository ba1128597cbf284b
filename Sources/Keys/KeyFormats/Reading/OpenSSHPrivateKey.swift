import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Reads private keys in OpenSSH's format (PROTOCOL.key).
enum OpenSSHPrivateKey {
    private static let magic = Array("openssh-key-v1\0".utf8)
    /// The number of keys in a file: ssh-keygen(1) writes one, and reads no more.
    private static let keys = 1
    /// The name of cipher and derivation in a file without a passphrase.
    private static let none = "none"
    /// The least number of rounds that a key counts, because each key also costs work beyond its rounds.
    private static let fewestRounds: UInt32 = 8

    static func read(
        _ file: SecretBytes, passphrase: SecretBytes?, into collector: ItemCollector
    ) throws(FormatFailure) {
        try file.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in try read(bytes, passphrase, into: collector) }
        }.get()
    }

    private static func read(
        _ file: UnsafeRawBufferPointer, _ passphrase: SecretBytes?, into collector: ItemCollector
    ) throws(FormatFailure) {
        var reader = SSHReader(file)
        guard try reader.take(magic.count).elementsEqual(magic) else { throw .damaged }
        let (cipher, derivation) = (try reader.bytes(), try reader.text())
        let options = try reader.bytes()
        guard try reader.word() == keys else { throw .unsupportedFormat }
        _ = try reader.bytes()
        let secret = try reader.bytes()
        let isEncrypted = !cipher.elementsEqual(none.utf8)
        guard isEncrypted == (derivation != none) else { throw .damaged }
        guard isEncrypted else {
            guard reader.isAtEnd else { throw .damaged }
            return try read(private: secret, isEncrypted: false, into: collector)
        }
        // Other ciphers append an authentication code, which is not supported.
        guard derivation == "bcrypt", key_formats_knows_open_ssh(Self.lent(cipher)) != 0 else {
            throw .unsupportedEncryption
        }
        guard reader.isAtEnd, secret.count <= KEY_FORMATS_MOST_OPEN_SSH else { throw .damaged }
        let decrypted = try decrypt(secret, cipher, options, passphrase, collector)
        try decrypted.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in try read(private: bytes, isEncrypted: true, into: collector) }
        }.get()
    }

    private static func lent(_ bytes: UnsafeRawBufferPointer) -> key_formats_bytes {
        key_formats_bytes(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, count: bytes.count)
    }

    private static func decrypt(
        _ secret: UnsafeRawBufferPointer, _ cipher: UnsafeRawBufferPointer, _ options: UnsafeRawBufferPointer,
        _ passphrase: SecretBytes?, _ collector: ItemCollector
    ) throws(FormatFailure) -> SecretBytes {
        var terms = SSHReader(options)
        let (salt, rounds) = (try terms.bytes(), try terms.word())
        guard terms.isAtEnd else { throw .damaged }
        guard passphrase != nil else { throw .passphraseRequired }
        try collector.spend(rounds: max(rounds, fewestRounds))
        var code = Int32(KEY_FORMATS_OK)
        // SAFETY: the lent bytes are in the file and the passphrase, which outlive the call, and the buffer has as many
        // bytes as are encrypted.
        let decrypted = try passphrase.lent { passphrase throws(FormatFailure) in
            SecretBytes(count: secret.count) { bytes in
                code = key_formats_decrypt_open_ssh(
                    lent(cipher), passphrase, lent(salt), rounds, lent(secret),
                    bytes.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        try FormatFailure.check(code)
        return decrypted
    }

    private static func read(
        private secret: UnsafeRawBufferPointer, isEncrypted: Bool, into collector: ItemCollector
    ) throws(FormatFailure) {
        var inner = SSHReader(secret)
        // The number is repeated; a wrong passphrase makes the two differ.
        guard try inner.word() == inner.word() else { throw isEncrypted ? .wrongPassphrase : .damaged }
        let count = collector.items.count
        var item = try key(&inner)
        let comment = try inner.bytes()
        // The padding to the block size is the sequence of bytes from 1 on.
        guard secret[inner.place...].enumerated().allSatisfy({ $1 == UInt8(truncatingIfNeeded: $0 + 1) }) else {
            throw .damaged
        }
        guard collector.items.count == count, comment.count <= FormatLimits.maximumLabelBytes else { throw .damaged }
        if !comment.isEmpty { item.label = String(validating: comment, as: UTF8.self) }
        try collector.add(item)
    }

    private static func key(_ reader: inout SSHReader) throws(FormatFailure) -> ExternalItem {
        let kind = try reader.text()
        if kind == OpenSSHPublicKey.Kind.rsa { return try rsa(&reader) }
        if kind == OpenSSHPublicKey.Kind.ed25519 {
            _ = try reader.bytes()
            // The private key, followed by the public one.
            let both = try reader.bytes()
            guard both.count == 64 else { throw .damaged }
            return ExternalItem(
                .privateKey(.ed25519, SecretBytes(copying: UnsafeRawBufferPointer(rebasing: both[..<32]))))
        }
        guard let curve = OpenSSHPublicKey.Kind.curves.first(where: { $0.kind == kind }) else { throw .unsupportedKey }
        guard try reader.text() == curve.curve else { throw .damaged }
        let (point, number) = (try reader.bytes(), try reader.number())
        guard point.count == 1 + 2 * curve.width, point.first == 4, number.count <= curve.width else { throw .damaged }
        let bytes = SecretBytes(count: point.count + curve.width) { bytes in
            bytes.copyBytes(from: point)
            UnsafeMutableRawBufferPointer(rebasing: bytes[(bytes.count - number.count)...]).copyBytes(from: number)
        }
        return ExternalItem(.privateKey(.ec, bytes))
    }

    private static func rsa(_ reader: inout SSHReader) throws(FormatFailure) -> ExternalItem {
        let (modulus, exponent) = (try reader.number(), try reader.number())
        let (secret, inverse) = (try reader.number(), try reader.number())
        let (first, second) = (try reader.number(), try reader.number())
        // SAFETY: the numbers lie in the file, which outlives the call.
        let numbers = [modulus, exponent, secret, first, second, inverse].map {
            key_formats_bytes(bytes: $0.bindMemory(to: UInt8.self).baseAddress, count: $0.count)
        }
        let collector = ItemCollector()
        try collector.collect { found, context in key_formats_read_rsa_numbers(numbers, found, context) }
        guard let item = collector.items.first else { throw .damaged }
        return item
    }
}
