import Foundation
import Testing

@testable import Security

/// Tests of operations with keys in memory: rows of the table of algorithms (behaviour/keys-in-memory.md, 8 to 18).
@Suite struct SecKeyUseTests {
    private static let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]

    /// One key of each kind, made once.
    private static let keys: [String: SecKey] = [
        "RSA": try? KeyCase.make(kSecAttrKeyTypeRSA as String, 2048),
        "EC": try? KeyCase.make(kSecAttrKeyTypeEC as String, 256),
        "P-521": try? KeyCase.make(kSecAttrKeyTypeEC as String, 521),
        "Ed25519": try? KeyCase.make(kSecAttrKeyTypeEd25519 as String, 256),
        "X25519": try? KeyCase.make(kSecAttrKeyTypeX25519 as String, 256),
    ].compactMapValues { $0 }

    private static func pair(_ name: String) throws -> (SecKey, SecKey) {
        let key = try #require(keys[name])
        return (key, try #require(SecKeyCopyPublicKey(key)))
    }

    /// The named algorithms that each kind of key supports for each operation.
    @Test(arguments: [
        ("RSA", "algid:sign:RSA:", "algid:encrypt:RSA:", ""),
        ("EC", "algid:sign:ECDSA:", "algid:encrypt:ECIES:", "algid:keyexchange:"),
        ("Ed25519", "algid:sign:EdDSA:", "", ""), ("X25519", "", "", "algid:keyexchange:"),
    ])
    func eachKindHasItsAlgorithms(kind: String, signs: String, encrypts: String, agrees: String) throws {
        let (key, publicKey) = try Self.pair(kind)
        for (_, value) in CompiledConstants.algorithms where value.hasPrefix("algid:") {
            func isOf(_ prefix: String) -> Bool { !prefix.isEmpty && value.hasPrefix(prefix) }
            let algorithm = SecKeyAlgorithm(rawValue: value as CFString)
            let expected: [SecKeyOperationType: (Bool, Bool)] = [
                .sign: (isOf(signs), false), .verify: (false, isOf(signs)), .encrypt: (false, isOf(encrypts)),
                .decrypt: (isOf(encrypts), false),
                .keyExchange: (isOf(agrees) && !(kind == "X25519" && isOf("algid:keyexchange:ECDHC")), false),
            ]
            for operation in Self.operations {
                let supported = (
                    SecKeyIsAlgorithmSupported(key, operation, algorithm),
                    SecKeyIsAlgorithmSupported(publicKey, operation, algorithm)
                )
                #expect(supported == expected[operation] ?? (false, false), "\(value), \(operation)")
            }
        }
    }

    @Test(arguments: [
        ("RSA", SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256), ("RSA", .rsaSignatureMessagePSSSHA512),
        ("EC", .ecdsaSignatureMessageX962SHA256), ("P-521", .ecdsaSignatureMessageRFC4754SHA512),
        ("Ed25519", .eddsaSignatureMessageCurve25519SHA512),
    ])
    func whatIsSignedIsVerified(kind: String, algorithm: SecKeyAlgorithm) throws {
        let (key, publicKey) = try Self.pair(kind)
        let (data, other) = (Data("message".utf8) as CFData, Data("another".utf8) as CFData)
        let signature = try #require(SecKeyCreateSignature(key, algorithm, data, nil))
        #expect(SecKeyVerifySignature(publicKey, algorithm, data, signature, nil))
        for (data, signature) in [
            (other, signature), (data, KeyCase.damaged(signature as Data) as CFData), (data, other),
        ] {
            var error: Unmanaged<CFError>?
            #expect(!SecKeyVerifySignature(publicKey, algorithm, data, signature, &error))
            #expect(KeyCase.status(&error) == errSecVerifyFailed)
        }
    }

    /// A key refuses algorithms of other keys and digests of the wrong length.
    @Test func whatDoesNotFitIsRefused() throws {
        let (rsa, ec) = (try Self.pair("RSA"), try Self.pair("EC"))
        let digest = Data(repeating: 7, count: 32) as CFData
        for (key, algorithm, data) in [
            (ec.0, SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA256, digest),
            (rsa.0, .ecdsaSignatureDigestX962SHA256, digest), (rsa.1, .rsaSignatureDigestPKCS1v15SHA256, digest),
            (rsa.0, .rsaSignatureDigestPKCS1v15SHA1, digest), (ec.0, .ecdsaSignatureDigestX962SHA384, digest),
            (ec.0, .ecdhKeyExchangeStandard, digest), (rsa.0, SecKeyAlgorithm(rawValue: "x" as CFString), digest),
        ] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, algorithm, data, &error) == nil)
            #expect(KeyCase.status(&error) == errSecParam)
        }
    }

    @Test(arguments: [
        ("RSA", SecKeyAlgorithm.rsaEncryptionPKCS1), ("RSA", .rsaEncryptionOAEPSHA256),
        ("RSA", .rsaEncryptionOAEPSHA512AESGCM), ("EC", .eciesEncryptionStandardX963SHA256AESGCM),
        ("P-521", .eciesEncryptionCofactorVariableIVX963SHA512AESGCM),
    ])
    func whatIsEncryptedIsDecrypted(kind: String, algorithm: SecKeyAlgorithm) throws {
        let (key, publicKey) = try Self.pair(kind)
        let data = Data("message".utf8) as CFData
        let sealed = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, data, nil))
        #expect(SecKeyCreateDecryptedData(key, algorithm, sealed, nil) as Data? == data as Data)
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateEncryptedData(key, algorithm, data, &error) == nil)
        #expect(KeyCase.status(&error) == errSecParam)
    }

    /// One status covers every kind of damage.
    ///
    /// With PKCS#1 v1.5, damage gives no error at all.
    @Test func whatIsDamagedIsNotDecrypted() throws {
        let (key, publicKey) = try Self.pair("RSA")
        let data = Data("message".utf8) as CFData
        for algorithm in [SecKeyAlgorithm.rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA1AESGCM] {
            let sealed = try #require(SecKeyCreateEncryptedData(publicKey, algorithm, data, nil)) as Data
            for damaged in [KeyCase.damaged(sealed), sealed.dropLast(), Data()] {
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateDecryptedData(key, algorithm, damaged as CFData, &error) == nil)
                #expect(KeyCase.status(&error) == errSecDecode, "\(algorithm), \(damaged.count)")
            }
        }
        let sealed = try #require(SecKeyCreateEncryptedData(publicKey, .rsaEncryptionPKCS1, data, nil)) as Data
        let damaged = KeyCase.damaged(sealed) as CFData
        let first = SecKeyCreateDecryptedData(key, .rsaEncryptionPKCS1, damaged, nil)
        #expect(first != nil && first as Data? != data as Data)
        #expect(SecKeyCreateDecryptedData(key, .rsaEncryptionPKCS1, damaged, nil) as Data? == first as Data?)
    }

    @Test(arguments: ["EC", "P-521", "X25519"]) func bothAgree(kind: String) throws {
        let (own, ownPublic) = try Self.pair(kind)
        let type = try #require(try KeyCase.attributes(own)[kSecAttrKeyType as String] as? String)
        let bits = try #require(try KeyCase.attributes(own)[kSecAttrKeySizeInBits as String] as? Int)
        let other = try KeyCase.make(type, bits)
        let otherPublic = try #require(SecKeyCopyPublicKey(other))
        let parameters =
            [
                SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data([1, 2]),
            ] as CFDictionary
        let derived: SecKeyAlgorithm =
            kind == "X25519" ? .ecdhKeyExchangeStandardX963SHA256 : .ecdhKeyExchangeCofactorX963SHA256
        for algorithm in [SecKeyAlgorithm.ecdhKeyExchangeStandard, derived] {
            let first = SecKeyCopyKeyExchangeResult(own, algorithm, otherPublic, parameters, nil)
            let second = SecKeyCopyKeyExchangeResult(other, algorithm, ownPublic, parameters, nil)
            #expect(first != nil && first as Data? == second as Data?)
            if algorithm == derived { #expect((first as Data?)?.count == 40) }
        }
        var error: Unmanaged<CFError>?
        let stranger = try Self.pair(kind == "EC" ? "P-521" : "EC").1
        #expect(SecKeyCopyKeyExchangeResult(own, .ecdhKeyExchangeStandard, stranger, parameters, &error) == nil)
        #expect(KeyCase.status(&error) == errSecParam)
        #expect(
            SecKeyCopyKeyExchangeResult(ownPublic, .ecdhKeyExchangeStandard, otherPublic, parameters, &error) == nil)
        #expect(KeyCase.status(&error) == errSecParam)
    }

    /// With such a public key the secret would be zero, whoever takes part.
    @Test(arguments: [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        [
            0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A, 0xDA, 0x09,
            0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
        ],
    ]) func nobodyAgreesWithAPointOfLowOrder(point: [UInt8]) throws {
        let own = try Self.pair("X25519").0
        let type = try #require(try KeyCase.attributes(own)[kSecAttrKeyType as String] as? String)
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: type, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
        ]
        let low = try #require(SecKeyCreateWithData(NSData(data: Data(point)), attributes as CFDictionary, nil))
        for algorithm in [SecKeyAlgorithm.ecdhKeyExchangeStandard, .ecdhKeyExchangeStandardX963SHA256] {
            var error: Unmanaged<CFError>?
            let parameters = [SecKeyKeyExchangeParameter.requestedSize.rawValue: 32] as CFDictionary
            #expect(SecKeyCopyKeyExchangeResult(own, algorithm, low, parameters, &error) == nil)
            #expect(KeyCase.status(&error) == errSecDecode)
        }
    }

    // MARK: The older calls

    @Test(arguments: [
        ("RSA", SecPadding.PKCS1, 20), ("RSA", .PKCS1SHA1, 20), ("RSA", .PKCS1SHA256, 32), ("RSA", .PKCS1SHA512, 64),
        ("RSA", SecPadding(), 256), ("EC", .PKCS1, 32), ("EC", .sigRaw, 32),
        ("EC", SecPadding(), 20), ("EC", .PKCS1SHA256, 32),
    ])
    func blocksAreSignedAndVerified(kind: String, padding: SecPadding, count: Int) throws {
        let (key, publicKey) = try Self.pair(kind)
        let data = [UInt8](repeating: 0, count: 1) + (1..<count).map { UInt8($0 % 251) }
        var (signature, length) = ([UInt8](repeating: 0, count: 300), 300)
        #expect(SecKeyRawSign(key, padding, data, data.count, &signature, &length) == errSecSuccess)
        #expect(kind == "RSA" ? length == 256 : padding == .sigRaw ? length == 64 : (8...72).contains(length))
        #expect(SecKeyRawVerify(publicKey, padding, data, data.count, signature, length) == errSecSuccess)
        signature[length - 1] ^= 1
        #expect(SecKeyRawVerify(publicKey, padding, data, data.count, signature, length) == errSecVerifyFailed)
        length = 7
        #expect(SecKeyRawSign(key, padding, data, data.count, &signature, &length) == errSecParam && length == 7)
    }

    /// PKCS#1 takes at most eleven bytes less than the block.
    ///
    /// A digest has its exact length and must match.
    @Test func blocksHaveTheirLength() throws {
        let (rsa, ec) = (try Self.pair("RSA"), try Self.pair("EC"))
        let data = [UInt8](repeating: 1, count: 257)
        var (signature, length) = ([UInt8](repeating: 0, count: 300), 300)
        for (key, padding, count) in [
            (rsa.0, SecPadding.PKCS1, 246), (rsa.0, [], 257), (rsa.0, .PKCS1SHA1, 32), (rsa.0, .PKCS1MD5, 16),
            (rsa.0, .PKCS1, 0), (rsa.0, .PKCS1MD2, 16), (rsa.0, .OAEP, 20), (ec.0, .PKCS1MD5, 16), (rsa.1, .PKCS1, 20),
            (rsa.0, .PKCS1, -1),
        ] {
            #expect(SecKeyRawSign(key, padding, data, count, &signature, &length) == errSecParam, "\(padding) \(count)")
            #expect(SecKeyRawVerify(rsa.1, .PKCS1MD5, data, 16, signature, 256) == errSecParam)
        }
        #expect(SecKeyRawSign(rsa.0, .PKCS1, data, 245, &signature, &length) == errSecSuccess)
    }

    @Test(arguments: [(SecPadding.PKCS1, 245), (.OAEP, 214), (SecPadding(), 256)])
    func blocksAreEncryptedAndDecrypted(padding: SecPadding, most: Int) throws {
        let (key, publicKey) = try Self.pair("RSA")
        let data = [UInt8](repeating: 0, count: 1) + [UInt8](repeating: 9, count: most - 1)
        var (sealed, length) = ([UInt8](repeating: 0, count: 256), 256)
        #expect(SecKeyEncrypt(publicKey, padding, data, most, &sealed, &length) == errSecSuccess && length == 256)
        #expect(SecKeyEncrypt(publicKey, padding, data + [1], most + 1, &sealed, &length) == errSecParam)
        var (opened, openedLength) = ([UInt8](repeating: 0, count: 256), 256)
        #expect(SecKeyDecrypt(key, padding, sealed, 256, &opened, &openedLength) == errSecSuccess)
        #expect(Array(opened.prefix(openedLength)) == data)
        #expect(SecKeyEncrypt(publicKey, .sigRaw, data, 1, &sealed, &length) == errSecParam)
        openedLength = 3
        #expect(SecKeyDecrypt(key, padding, sealed, 256, &opened, &openedLength) == errSecParam)
    }
}
