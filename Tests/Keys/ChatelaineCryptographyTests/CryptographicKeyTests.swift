import ChatelaineModel
import Crypto
import Foundation
import Testing

@testable import ChatelaineCryptography

/// Keys are made, written, read and used.
@Suite struct CryptographicKeyTests {
    private static let message = Array("the message".utf8)
    /// One key for all tests, because making a large RSA key takes a second.
    private static let rsa = Result { () throws(KeychainError) in try CryptographicKey.generate(.rsa, bits: 2048) }

    private static func key(_ kind: KeyKind, _ bits: Int = 256) throws -> CryptographicKey {
        kind == .rsa ? try rsa.get() : try CryptographicKey.generate(kind, bits: bits)
    }

    // MARK: Making, writing and reading

    @Test(arguments: [
        (KeyKind.rsa, 1024, nil as Int?), (.rsa, 3072, nil), (.ec, 256, 65), (.ec, 384, 97), (.ec, 521, 133),
        (.ed25519, 256, 32), (.x25519, 256, 32),
    ])
    func whatIsMadeIsReadAgain(kind: KeyKind, bits: Int, publicBytes: Int?) throws {
        let key = try CryptographicKey.generate(kind, bits: bits)
        #expect(key.bits == bits && key.isPrivate && key.kind == kind)
        let whole = Keys.bytes(try key.privateRepresentation())
        let read = try Keys.read(kind, isPrivate: true, whole)
        #expect(Keys.bytes(try read.privateRepresentation()) == whole && read.bits == bits)
        let reopened = try whole.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try CryptographicKey(kind, unsealed: bytes) }
        }.get()
        #expect(Keys.bytes(try reopened.privateRepresentation()) == whole && reopened.bits == bits)
        #expect(try reopened.publicRepresentation() == key.publicRepresentation())
        let open = try key.publicKey()
        let representation = try open.publicRepresentation()
        #expect(!open.isPrivate)
        #expect(try representation == key.publicRepresentation())
        if let publicBytes { #expect(representation.count == publicBytes) }
        #expect(
            try CryptographicKey(kind, publicRepresentation: representation).publicRepresentation() == representation)
        #expect(throws: KeychainError(.param, "")) { try open.privateRepresentation() }
    }

    @Test(arguments: [
        (KeyKind.rsa, 1023), (.rsa, 512), (.rsa, 8193), (.rsa, 2049), (.rsa, 0), (.rsa, -1), (.ec, 255), (.ec, 224),
        (.ec, 0),
    ])
    func sizesThatNoKeyHasAreRefused(kind: KeyKind, bits: Int) {
        #expect(throws: KeychainError(.param, "")) { try CryptographicKey.generate(kind, bits: bits) }
    }

    @Test(arguments: [KeyKind.rsa, .ec, .ed25519, .x25519])
    func whatIsNoKeyIsRefused(kind: KeyKind) throws {
        let key = try Self.key(kind)
        let (whole, open) = (Keys.bytes(try key.privateRepresentation()), try key.publicRepresentation())
        let others: [[UInt8]] = [
            [], [0], [4], [UInt8](repeating: 4, count: 20_000), Array(whole.dropLast()), whole + [0],
        ]
        for bytes in others {
            #expect(throws: KeychainError(.param, "")) { try Keys.read(kind, isPrivate: true, bytes) }
            #expect(throws: KeychainError(.param, "")) {
                try bytes.withUnsafeBytes { bytes in
                    Result { () throws(KeychainError) in try CryptographicKey(kind, unsealed: bytes) }
                }.get()
            }
        }
        for bytes in [[], Array(open.dropLast()), open + [0]] {
            #expect(throws: KeychainError(.param, "")) { try Keys.read(kind, isPrivate: false, bytes) }
        }
        // Bytes of any value are a key of the other two kinds.
        guard kind == .rsa || kind == .ec else { return }
        #expect(throws: KeychainError(.param, "")) { try Keys.read(kind, isPrivate: true, open) }
        #expect(throws: KeychainError(.param, "")) { try Keys.read(kind, isPrivate: false, whole) }
    }

    /// A private key with one wrong number would reveal itself through its signatures.
    @Test func aDamagedPrivateKeyIsRefused() throws {
        let ec = Keys.bytes(try Self.key(.ec).privateRepresentation())
        for index in [1, 40, 64, 65, 80, 96] {
            var damaged = ec
            damaged[index] ^= 1
            #expect(throws: KeychainError(.param, ""), "byte \(index)") { try Keys.read(.ec, isPrivate: true, damaged) }
        }
        let rsa = Keys.bytes(try Self.key(.rsa).privateRepresentation())
        // The bytes lie in the modulus and in the five numbers that signing uses.
        for index in [100, rsa.count - 600, rsa.count - 500, rsa.count - 330, rsa.count - 200, rsa.count - 60] {
            var damaged = rsa
            damaged[index] ^= 1
            #expect(throws: KeychainError(.param, ""), "byte \(index)") {
                try Keys.read(.rsa, isPrivate: true, damaged)
            }
        }
    }

    // MARK: Signing

    private static let signatures: [KeyAlgorithm] =
        KeyDigest.allCases.flatMap { digest in
            [true, false].flatMap { isMessage -> [KeyAlgorithm] in
                [
                    .rsaSignature(.pkcs1, digest, isMessage: isMessage),
                    .rsaSignature(.pss, digest, isMessage: isMessage),
                    .ecSignature(.x962, digest, isMessage: isMessage),
                    .ecSignature(.rfc4754, digest, isMessage: isMessage),
                ]
            }
        } + [
            .rsaSignature(.none, nil, isMessage: false), .rsaSignature(.pkcs1, nil, isMessage: false),
            .ecSignature(.x962, nil, isMessage: false), .ecSignature(.rfc4754, nil, isMessage: false),
        ]

    private static func data(for algorithm: KeyAlgorithm) -> [UInt8] {
        switch algorithm {
        case .rsaSignature(_, let digest?, isMessage: false), .ecSignature(_, let digest?, isMessage: false):
            [UInt8](repeating: 7, count: digest.byteCount)
        default: message
        }
    }

    @Test(arguments: signatures) func whatIsSignedIsVerified(algorithm: KeyAlgorithm) throws {
        let data = Self.data(for: algorithm)
        for key in [try Self.key(.rsa), try Self.key(.ec, 256), try Self.key(.ec, 384), try Self.key(.ec, 521)] {
            let open = try key.publicKey()
            guard key.signs(by: algorithm) else {
                #expect(throws: KeychainError(.param, "")) { try Keys.sign(data, key, algorithm) }
                #expect(throws: KeychainError(.param, "")) { try Keys.verifies([1], data, open, algorithm) }
                continue
            }
            let signature = try Keys.sign(data, key, algorithm)
            #expect(try Keys.verifies(signature, data, open, algorithm))
            #expect(try Keys.verifies(signature, data, key, algorithm), "a private key verifies, too")
            var other = signature
            other[signature.count - 1] ^= 1
            #expect(try !Keys.verifies(other, data, open, algorithm))
            #expect(try !Keys.verifies([], data, open, algorithm))
            #expect(try !Keys.verifies(signature + [0], data, open, algorithm))
            var another = data
            another[0] ^= 1
            #expect(try !Keys.verifies(signature, another, open, algorithm))
            #expect(throws: KeychainError(.param, "")) { try Keys.sign(data, open, algorithm) }
        }
    }

    @Test func aDigestHasItsLength() throws {
        for algorithm in [
            KeyAlgorithm.rsaSignature(.pkcs1, .sha256, isMessage: false), .rsaSignature(.pss, .sha1, isMessage: false),
        ] {
            for count in [0, 19, 21, 31, 33] {
                let data = [UInt8](repeating: 1, count: count)
                #expect(throws: KeychainError(.param, "")) { try Keys.sign(data, Self.key(.rsa), algorithm) }
            }
        }
        let data = [UInt8](repeating: 1, count: 31)
        #expect(throws: KeychainError(.param, "")) {
            try Keys.sign(data, Self.key(.ec), .ecSignature(.x962, .sha256, isMessage: false))
        }
    }

    /// PKCS#1 padding takes at least eleven bytes of a block.
    @Test func aBlockHasItsRoom() throws {
        let key = try Self.key(.rsa)
        for (padding, most) in [(KeyAlgorithm.SignaturePadding.pkcs1, 245), (.none, 256)] {
            let algorithm = KeyAlgorithm.rsaSignature(padding, nil, isMessage: false)
            let data = [UInt8](repeating: 1, count: most)
            #expect(try Keys.verifies(Keys.sign(data, key, algorithm), data, key, algorithm))
            #expect(throws: KeychainError(.param, "")) { try Keys.sign(data + [1], key, algorithm) }
        }
        let plain = KeyAlgorithm.rsaSignature(.pkcs1, nil, isMessage: false)
        #expect(throws: KeychainError(.param, "")) { try Keys.sign([], key, plain) }
        #expect(throws: KeychainError(.param, "")) { try Keys.verifies([1], [], key, plain) }
        // The number is not below the modulus.
        let large = [UInt8](repeating: 0xFF, count: 256)
        #expect(throws: KeychainError(.param, "")) {
            try Keys.sign(large, key, .rsaSignature(.none, nil, isMessage: false))
        }
        let small = try CryptographicKey.generate(.rsa, bits: 1024)
        #expect(!small.signs(by: .rsaSignature(.pss, .sha512, isMessage: true)))
        #expect(
            !small.encrypts(by: .rsaEncryption(.oaep(.sha512))) && small.encrypts(by: .rsaEncryption(.oaep(.sha384)))
                && !small.encrypts(by: .rsaHybrid(.sha512)))
        // The block of 1033 bits begins with a byte of which PSS uses no bit.
        for (bits, hasRoom) in [(1033, false), (1034, true)] {
            let key = try CryptographicKey.generate(.rsa, bits: bits)
            #expect(key.signs(by: .rsaSignature(.pss, .sha512, isMessage: true)) == hasRoom)
            guard hasRoom else { continue }
            #expect(try Keys.sign(Self.message, key, .rsaSignature(.pss, .sha512, isMessage: true)).count == 130)
        }
    }

    /// Another library verifies the signatures.
    @Test func othersVerifyWhatIsSigned() throws {
        let key = try Self.key(.ec)
        let theirs = try P256.Signing.PrivateKey(x963Representation: Keys.bytes(key.privateRepresentation()))
        let ours = try Keys.sign(Self.message, key, .ecSignature(.x962, .sha256, isMessage: true))
        #expect(
            theirs.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: ours), for: Self.message))
        let raw = try Keys.sign(Self.message, key, .ecSignature(.rfc4754, .sha256, isMessage: true))
        #expect(
            theirs.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: raw), for: Self.message))
        let signature = try theirs.signature(for: Self.message)
        #expect(
            try Keys.verifies(
                Array(signature.derRepresentation), Self.message, key, .ecSignature(.x962, .sha256, isMessage: true)))
    }

    // MARK: Encrypting and agreeing

    private static let paddings: [(KeyAlgorithm.EncryptionPadding, most: Int)] =
        [(.none, 255), (.pkcs1, 245)] + KeyDigest.allCases.map { (.oaep($0), 256 - 2 * $0.byteCount - 2) }

    @Test(arguments: paddings)
    func whatIsEncryptedIsDecrypted(padding: KeyAlgorithm.EncryptionPadding, most: Int) throws {
        let (key, algorithm) = (try Self.key(.rsa), KeyAlgorithm.rsaEncryption(padding))
        let open = try key.publicKey()
        for count in [0, 1, most] {
            let data = [UInt8](repeating: 9, count: count)
            let encrypted = try Keys.encrypt(data, open, algorithm)
            let decrypted = try Keys.decrypt(encrypted, key, algorithm)
            #expect(encrypted.count == 256)
            #expect(padding == .none ? Array(decrypted.drop { $0 == 0 }) == data : decrypted == data)
            #expect(throws: KeychainError(.param, "")) { try Keys.decrypt(encrypted, open, algorithm) }
        }
        #expect(throws: KeychainError(.param, "")) { try Keys.encrypt([1], Self.key(.ec), algorithm) }
        for garbage in [[], [1], [UInt8](repeating: 0xFF, count: 256)] as [[UInt8]] {
            #expect(throws: KeychainError(.decode, "")) { try Keys.decrypt(garbage, key, algorithm) }
        }
        guard padding != .none else { return }
        #expect(throws: KeychainError(.param, "")) {
            try Keys.encrypt([UInt8](repeating: 9, count: most + 1), open, algorithm)
        }
        let block = [UInt8](repeating: 1, count: 256)
        if padding == .pkcs1 {
            #expect(try Keys.decrypt(block, key, algorithm) == Keys.decrypt(block, key, algorithm))
        } else {
            #expect(throws: KeychainError(.decode, "")) { try Keys.decrypt(block, key, algorithm) }
        }
    }

    private static let hybrids: [KeyAlgorithm] = KeyDigest.allCases.flatMap { digest -> [KeyAlgorithm] in
        [.rsaHybrid(digest), .ecies(digest, derivesNonce: true), .ecies(digest, derivesNonce: false)]
    }

    @Test(arguments: hybrids) func messagesOfAnyLengthAreEncrypted(algorithm: KeyAlgorithm) throws {
        for key in [try Self.key(.rsa), try Self.key(.ec, 256), try Self.key(.ec, 521)] {
            let open = try key.publicKey()
            guard key.encrypts(by: algorithm) else {
                #expect(throws: KeychainError(.param, "")) { try Keys.encrypt([1], open, algorithm) }
                continue
            }
            for count in [0, 1, 17, 100_000] {
                let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let encrypted = try Keys.encrypt(data, open, algorithm)
                let head = key.kind == .rsa ? 256 : 1 + 2 * key.blockBytes
                #expect(encrypted.count == head + count + 16)
                #expect(try Keys.decrypt(encrypted, key, algorithm) == data)
                #expect(try encrypted != Keys.encrypt(data, open, algorithm), "each has a key of its own")
                guard count == 17 else { continue }
                for index in [0, 1, head - 1, head, encrypted.count - 17, encrypted.count - 1] {
                    var damaged = encrypted
                    damaged[index] ^= 1
                    #expect(throws: KeychainError(.decode, ""), "byte \(index)") {
                        try Keys.decrypt(damaged, key, algorithm)
                    }
                }
                for short in [[], Array(encrypted.prefix(head - 1)), Array(encrypted.prefix(head + 15))] {
                    #expect(throws: KeychainError(.decode, "")) { try Keys.decrypt(short, key, algorithm) }
                }
            }
        }
    }

    /// Another library repeats the calculation: key and nonce by X9.63 with the point as shared information, AES of the
    /// curve's strength.
    @Test(arguments: [true, false]) func othersOpenWhatIsEncryptedForThem(derivesNonce: Bool) throws {
        let theirs = P256.KeyAgreement.PrivateKey()
        let open = try CryptographicKey(.ec, publicRepresentation: Array(theirs.publicKey.x963Representation))
        let encrypted = try Keys.encrypt(Self.message, open, .ecies(.sha256, derivesNonce: derivesNonce))
        let point = Array(encrypted.prefix(65))
        let derived = try theirs.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: point)
        )
        .x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: point, outputByteCount: derivesNonce ? 32 : 16)
        .withUnsafeBytes { [UInt8]($0) }
        let nonce = try AES.GCM.Nonce(data: derivesNonce ? Array(derived[16...]) : [UInt8](repeating: 0, count: 16))
        let box = try AES.GCM.SealedBox(
            nonce: nonce, ciphertext: encrypted[65..<(encrypted.count - 16)], tag: encrypted.suffix(16))
        #expect(try Array(AES.GCM.open(box, using: SymmetricKey(data: derived.prefix(16)))) == Self.message)
    }

    @Test(arguments: [(KeyKind.ec, 256), (.ec, 384), (.ec, 521), (.x25519, 256)])
    func bothAgree(kind: KeyKind, bits: Int) throws {
        let (one, other) = (try Self.key(kind, bits), try Self.key(kind, bits))
        for algorithm in [KeyAlgorithm.keyExchange(nil)] + KeyDigest.allCases.map({ .keyExchange($0) }) {
            let ours = try one.secret(with: other.publicKey(), by: algorithm, size: 100, info: [1, 2])
            #expect(try ours == other.secret(with: one, by: algorithm, size: 100, info: [1, 2]))
            guard case .keyExchange(_?, _) = algorithm else { continue }
            #expect(ours.count == 100)
            #expect(try ours != other.secret(with: one, by: algorithm, size: 100, info: [1, 3]))
        }
        for size in [0, -1, X963KeyDerivation.mostBytes + 1] {
            #expect(throws: KeychainError(.param, "")) {
                try one.secret(with: other, by: .keyExchange(.sha256), size: size)
            }
        }
        #expect(throws: KeychainError(.param, "")) { try one.publicKey().secret(with: other, by: .keyExchange(nil)) }
        let stranger = try Self.key(.ec, bits == 256 ? 384 : 256)
        #expect(throws: KeychainError(.param, "")) { try one.secret(with: stranger, by: .keyExchange(nil)) }
        #expect(throws: KeychainError(.param, "")) { try Self.key(.rsa).secret(with: other, by: .keyExchange(nil)) }
    }

    /// The longest result and the longest input are possible, but not both together: each piece of the result hashes
    /// all of the input.
    @Test func aDerivationHashesWithinALimit() throws {
        let (one, other) = (try Self.key(.ec), try Self.key(.ec).publicKey())
        // SHA-1 makes 20 bytes of each hash, of the secret, a number of four bytes and the input.
        let ofEach = X963KeyDerivation.mostHashedBytes / (X963KeyDerivation.mostBytes / 20 + 1)
        let input = [UInt8](repeating: 1, count: ofEach - 32 - 4)
        func derived(_ size: Int, _ info: [UInt8]) throws -> Int {
            try one.secret(with: other, by: .keyExchange(.sha1), size: size, info: info).count
        }
        #expect(input.count > 1024)
        #expect(try derived(X963KeyDerivation.mostBytes, input) == X963KeyDerivation.mostBytes)
        #expect(throws: KeychainError(.param, "")) { try derived(X963KeyDerivation.mostBytes, input + [1]) }
        let longest = [UInt8](repeating: 1, count: KeyTask.maximumInputBytes)
        #expect(try derived(1024, longest) == 1024)
        #expect(throws: KeychainError(.param, "")) { try derived(X963KeyDerivation.mostBytes, longest) }
    }

    /// The other library also derives by X9.63.
    @Test func othersAgree() throws {
        let (one, other) = (P384.KeyAgreement.PrivateKey(), try Self.key(.ec, 384))
        let theirs = try one.sharedSecretFromKeyAgreement(
            with: P384.KeyAgreement.PublicKey(x963Representation: other.publicRepresentation()))
        let point = try CryptographicKey(.ec, publicRepresentation: Array(one.publicKey.x963Representation))
        let secret = try other.secret(with: point, by: .keyExchange(nil))
        #expect(Keys.bytes(secret) == theirs.withUnsafeBytes { [UInt8]($0) })
        let derived = theirs.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: [5, 6, 7], outputByteCount: 75)
        let ours = try other.secret(with: point, by: .keyExchange(.sha256), size: 75, info: [5, 6, 7])
        #expect(Keys.bytes(ours) == derived.withUnsafeBytes { [UInt8]($0) })
    }

    @Test func manyThreadsUseOneKey() async throws {
        let (rsa, ec) = (try Self.key(.rsa), try Self.key(.ec))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let algorithm = KeyAlgorithm.rsaSignature(.pss, .sha256, isMessage: true)
                    let other = KeyAlgorithm.ecSignature(.x962, .sha256, isMessage: true)
                    return try Keys.verifies(Keys.sign(Self.message, rsa, algorithm), Self.message, rsa, algorithm)
                        && Keys.verifies(Keys.sign(Self.message, ec, other), Self.message, ec, other)
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }
}
