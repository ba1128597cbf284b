import CCryptoBoringSSL
import ChatelaineMemory
import Crypto
import Testing

@testable import Sealing

/// AES-256-GCM in secret memory gives what the standard and what swift-crypto's own interface give.
@Suite struct AuthenticatedCipherTests {
    private static let key = [UInt8](repeating: 0x5A, count: 32)
    private static let associated = Array("purpose, key and place".utf8)

    private static func cipher(_ key: [UInt8] = key) throws -> AuthenticatedCipher {
        try #require(key.withUnsafeBytes { AuthenticatedCipher(key: $0) })
    }

    private static func opened(
        _ sealed: [UInt8], _ associated: [UInt8], by cipher: AuthenticatedCipher
    ) -> [UInt8]? {
        var content = SecretBuffer(capacity: sealed.count)
        let isOpened = sealed.withUnsafeBytes { sealed in
            associated.withUnsafeBytes { cipher.open(sealed, authenticating: $0, into: &content) }
        }
        let bytes = content.withUnsafeBytes { [UInt8]($0) }
        return isOpened ? bytes : nil
    }

    /// Test case 16 of the specification of GCM (McGrew and Viega): 256 bits, 60 bytes, 20 bytes of associated data.
    @Test func aSealOfTheStandardOpens() throws {
        let sealed = try bytes(
            "cafebabefacedbaddecaf888"
                + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")
        let content = try bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let cipher = try Self.cipher(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let associated = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(Self.opened(sealed, associated, by: cipher) == content)
    }

    /// Sizes about the blocks of the cipher, and a large one.
    @Test(arguments: [0, 1, 15, 16, 17, 255, 4096, 100_000]) func swiftCryptoAgrees(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let (cipher, key) = (try Self.cipher(), SymmetricKey(data: Self.key))
        let ours = try #require(
            content.withUnsafeBytes { content in
                Self.associated.withUnsafeBytes { cipher.seal(content, authenticating: $0) }
            })
        let box = try AES.GCM.SealedBox(combined: ours)
        #expect(try [UInt8](AES.GCM.open(box, using: key, authenticating: Self.associated)) == content)
        let theirs = try AES.GCM.seal(content, using: key, authenticating: Self.associated)
        #expect(Self.opened([UInt8](try #require(theirs.combined)), Self.associated, by: cipher) == content)
    }

    /// A cipher that takes another key opens what that key sealed, and a copy of it keeps the former key.
    @Test func anotherKeyTakesThePlaceOfTheFirst() throws {
        let other = [UInt8](repeating: 0x77, count: 32)
        let seals = try [Self.key, other].map { key in
            try #require(
                Self.associated.withUnsafeBytes { content in
                    try Self.cipher(key).seal(content, authenticating: content)
                })
        }
        var cipher = try Self.cipher()
        let copy = cipher
        let changes = [other, Self.key, other].map { key in
            (
                key, key.withUnsafeBytes { cipher.change(to: $0) },
                seals.map { Self.opened($0, Self.associated, by: cipher) }
            )
        }
        for (key, isChanged, opened) in changes {
            #expect(isChanged)
            #expect(opened == (key == other ? [nil, Self.associated] : [Self.associated, nil]))
        }
        #expect(Self.opened(seals[0], Self.associated, by: copy) == Self.associated)
    }

    @Test func aSealThatDoesNotOpenLeavesNothing() throws {
        let cipher = try Self.cipher()
        var sealed = try #require(
            Self.associated.withUnsafeBytes { content in cipher.seal(content, authenticating: content) })
        sealed[sealed.count - 1] ^= 1
        var content = SecretBuffer(capacity: 64)
        let isOpened = sealed.withUnsafeBytes { sealed in
            Self.associated.withUnsafeBytes { cipher.open(sealed, authenticating: $0, into: &content) }
        }
        #expect(!isOpened && content.count == 0)
        #expect(CCryptoBoringSSL_ERR_peek_error() == 0, "the thread keeps an error of another")
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] {
        var digits = Substring(hexadecimal)
        var bytes: [UInt8] = []
        while !digits.isEmpty {
            bytes.append(try #require(UInt8(digits.prefix(2), radix: 16)))
            digits = digits.dropFirst(2)
        }
        return bytes
    }
}
