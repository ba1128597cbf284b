import ChatelaineMemory
import ChatelaineModel
import TestSupport
import Testing

@testable import ChatelaineCryptography

/// AES keys are made, derived and wrapped as published.
@Suite struct SymmetricKeyTests {
    private static func key(_ hexadecimal: String) throws -> SymmetricKey {
        try SymmetricKey(SecretBytes(try #require(Hexadecimal.bytes(of: hexadecimal.utf8))))
    }

    private static func text(_ key: SymmetricKey) -> String {
        key.bytes.withUnsafeBytes { Hexadecimal.text(of: [UInt8]($0)) }
    }

    @Test(arguments: PublishedKeyWrap.all)
    func wrappingIsAsPublished(key: String, other: String, wrapped: String) throws {
        let (key, other) = (try Self.key(key), try Self.key(other))
        let bytes = try key.wrapped(other)
        #expect(Hexadecimal.text(of: bytes) == wrapped)
        #expect(Self.text(try key.unwrapped(bytes)) == Self.text(other))
    }

    @Test func whatAnotherWrappedIsNotUnwrapped() throws {
        let (key, other) = (try SymmetricKey.generate(bits: 256), try SymmetricKey.generate(bits: 128))
        var wrapped = try key.wrapped(other)
        #expect(throws: KeychainError(.decode, "")) { try other.unwrapped(wrapped) }
        wrapped[3] ^= 1
        #expect(throws: KeychainError(.decode, "")) { try key.unwrapped(wrapped) }
        for count in [0, 7, 8, 16, 23, 25, 39, 41, 80, 1000] {
            #expect(throws: KeychainError(.decode, "")) {
                try key.unwrapped([UInt8](repeating: 1, count: count))
            }
        }
    }

    /// RFC 6070 and RFC 7914, 11, as far as an AES key is long enough for their vectors.
    @Test(arguments: [
        ("password", "salt", 2, KeyDigest.sha1, 128, "ea6c014dc72d6f8ccd1ed92ace1d41f0"),
        ("password", "salt", 4096, .sha1, 128, "4b007901b765489abead49d926f721d0"),
        ("passwd", "salt", 1, .sha256, 256, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
    ])
    func derivingIsAsPublished(
        password: String, salt: String, rounds: Int, digest: KeyDigest, bits: Int, key: String
    ) throws {
        let derived = try SymmetricKey.derived(
            from: SecretBytes(password.utf8), salt: Array(salt.utf8), rounds: rounds, digest, bits: bits)
        #expect(Self.text(derived) == key)
    }

    @Test func sizesAndRoundsAreBounded() {
        for bits in [0, 64, 127, 512] {
            #expect(throws: KeychainError(.param, "")) { try SymmetricKey.generate(bits: bits) }
        }
        for rounds in [0, -1, SymmetricKey.mostRounds + 1] {
            #expect(throws: KeychainError(.param, "")) {
                try SymmetricKey.derived(
                    from: SecretBytes([1]), salt: [1], rounds: rounds, .sha256, bits: 128)
            }
        }
    }
}
