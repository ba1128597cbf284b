import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Private keys as OpenSSH writes them (PROTOCOL.key), without a passphrase: what one derives by bcrypt no library here offers.
enum OpenSSHPrivateKey {
    private static let magic = Array("openssh-key-v1\0".utf8)
    /// ssh-keygen(1) writes one, and reads no more.
    private static let keys = 1

    static func read(_ file: SecretBytes, into collector: ItemCollector) throws(FormatFailure) {
        try file.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in try read(bytes, into: collector) }
        }.get()
    }

    private static func read(_ file: UnsafeRawBufferPointer, into collector: ItemCollector) throws(FormatFailure) {
        var reader = SSHReader(file)
        guard try reader.take(magic.count).elementsEqual(magic) else { throw .damaged }
        let (cipher, derivation) = (try reader.text(), try reader.text())
        _ = try reader.bytes()
        guard try reader.word() == keys else { throw .unsupportedFormat }
        _ = try reader.bytes()
        let secret = try reader.bytes()
        guard reader.isAtEnd else { throw .damaged }
        guard cipher == "none", derivation == "none" else { throw .encryptedOpenSSH }
        var inner = SSHReader(secret)
        guard try inner.word() == inner.word() else { throw .damaged }
        let count = collector.items.count
        var item = try key(&inner)
        let comment = try inner.bytes()
        // What fills up a block of the cipher counts from one.
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
            // The private key, and the public one behind it.
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
