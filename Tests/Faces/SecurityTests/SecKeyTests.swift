import Foundation
import Testing

@testable import Security

/// Tests of keys in memory through Apple's calls (behaviour/keys-in-memory.md).
@Suite struct SecKeyTests {
    // MARK: Making

    @Test(arguments: [
        (kSecAttrKeyTypeRSA as String, 1024, 128), (kSecAttrKeyTypeRSA as String, 2048, 256),
        (kSecAttrKeyTypeECSECPrimeRandom as String, 256, 32), (kSecAttrKeyTypeEC as String, 384, 48),
        (kSecAttrKeyTypeECDSA as String, 521, 66), (kSecAttrKeyTypeEd25519 as String, 256, 32),
        (kSecAttrKeyTypeX25519 as String, 256, 32),
    ])
    func keysAreMade(type: String, bits: Int, block: Int) throws {
        let key = try KeyCase.make(type, bits)
        let attributes = try KeyCase.attributes(key)
        #expect(attributes[kSecAttrKeyType as String] as? String == type)
        #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == bits)
        #expect(attributes[kSecAttrEffectiveKeySize as String] as? Int == bits)
        #expect(attributes[kSecAttrKeyClass as String] as? String == kSecAttrKeyClassPrivate as String)
        #expect(SecKeyGetBlockSize(key) == block)
        #expect(CFGetTypeID(key) == SecKeyGetTypeID())
    }

    /// The last number of PKCS#1 is the exponent.
    @Test(arguments: [1024, 2048]) func aMadeKeyOfRSAHasTheUsualExponent(bits: Int) throws {
        let key = try KeyCase.make(kSecAttrKeyTypeRSA as String, bits)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let written = try #require(SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
        #expect([UInt8](written.suffix(5)) == [0x02, 3, 0x01, 0x00, 0x01])
    }

    @Test func numbersDoAsWellAsTheirText() throws {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey([kSecAttrKeyType: 73, kSecAttrKeySizeInBits: "256"] as CFDictionary, &error)
        #expect(key != nil && error == nil)
    }

    /// Unsupported keys and incomplete parameters give `errSecParam`.
    @Test(arguments: [
        "no type", "no size", "DSA", "nonsense", "RSA 512", "RSA 9000", "EC 192", "EC 224", "EC 0", "EC -1",
        "type data", "size text", "part no dictionary", "RSA 2049", "extractable text", "permanent text",
    ])
    func othersAreRefused(what: String) {
        let (type, size) = (kSecAttrKeyType as String, kSecAttrKeySizeInBits as String)
        let rows: [String: [String: Any]] = [
            "no type": [size: 256], "no size": [type: kSecAttrKeyTypeRSA],
            "DSA": [type: kSecAttrKeyTypeDSA, size: 1024], "nonsense": [type: "x", size: 256],
            "RSA 512": [type: kSecAttrKeyTypeRSA, size: 512], "RSA 9000": [type: kSecAttrKeyTypeRSA, size: 9000],
            "EC 192": [type: kSecAttrKeyTypeEC, size: 192], "EC 224": [type: kSecAttrKeyTypeEC, size: 224],
            "EC 0": [type: kSecAttrKeyTypeEC, size: 0], "EC -1": [type: kSecAttrKeyTypeEC, size: -1],
            "type data": [type: Data([1]), size: 256], "size text": [type: kSecAttrKeyTypeEC, size: "many"],
            "part no dictionary": [type: kSecAttrKeyTypeEC, size: 256, kSecPrivateKeyAttrs as String: 1],
            "RSA 2049": [type: kSecAttrKeyTypeRSA, size: 2049],
            "extractable text": [type: kSecAttrKeyTypeEC, size: 256, kSecAttrIsExtractable as String: "false"],
            "permanent text": [type: kSecAttrKeyTypeEC, size: 256, kSecAttrIsPermanent as String: "yes"],
        ]
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateRandomKey((rows[what] ?? [:]) as CFDictionary, &error) == nil)
        #expect(KeyCase.status(&error) == errSecParam)
    }

    @Test func pairsBelongTogether() throws {
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let parameters = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256] as CFDictionary
        #expect(SecKeyGeneratePair(parameters, &publicKey, &privateKey) == errSecSuccess)
        let (one, other) = (try #require(publicKey), try #require(privateKey))
        #expect(SecKeyCopyPublicKey(other) == one && SecKeyCopyPublicKey(one) == one && one != other)
        #expect(SecKeyGeneratePair(parameters, nil, nil) == errSecSuccess)
        #expect(SecKeyGeneratePair([:] as CFDictionary, &publicKey, nil) == errSecParam)
    }

    /// The part about the private key may say all that is made.
    @Test func thePartsAreMerged() throws {
        let part = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 384] as CFDictionary
        let key = try #require(SecKeyCreateRandomKey([kSecPrivateKeyAttrs: part] as CFDictionary, nil))
        #expect(try KeyCase.attributes(key)[kSecAttrKeySizeInBits as String] as? Int == 384)
        let both: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024, kSecPrivateKeyAttrs: part,
        ]
        #expect(SecKeyGetBlockSize(try #require(SecKeyCreateRandomKey(both as CFDictionary, nil))) == 48)
        // The public key follows from the private one.
        let other = [kSecPublicKeyAttrs: part] as CFDictionary
        #expect(SecKeyGeneratePair(other, nil, nil) == errSecParam)
    }

    // MARK: Attributes

    @Test func attributesSayWhatAKeyIsFor() throws {
        let key = try KeyCase.make(kSecAttrKeyTypeEC as String, 256)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        for (key, isPrivate) in [(key, true), (publicKey, false)] {
            let attributes = try KeyCase.attributes(key)
            func flag(_ name: CFString) -> Bool? { attributes[name as String] as? Bool }
            for name in [kSecAttrCanEncrypt, kSecAttrCanVerify, kSecAttrCanWrap] { #expect(flag(name) == !isPrivate) }
            for name in [kSecAttrCanDecrypt, kSecAttrCanSign, kSecAttrCanUnwrap] { #expect(flag(name) == isPrivate) }
            #expect(flag(kSecAttrCanDerive) == true && flag(kSecAttrIsExtractable) == true)
            #expect(flag(kSecAttrIsPermanent) == false && flag(kSecAttrIsSensitive) == false)
            // macOS has these attributes without a public constant, except for the old numbers.
            for (name, value) in [
                ("asen", false), ("next", false), ("modi", true), ("snrc", false), ("vyrc", false), ("priv", isPrivate),
            ] {
                #expect(attributes[name] as? Bool == value, "\(name)")
            }
            #expect(attributes[kSecAttrKeySizeInBits as String] as? Int == 256)
            #expect(attributes[kSecAttrEffectiveKeySize as String] as? Int == 256)
            #expect(attributes[kSecValueData as String] as? Data == SecKeyCopyExternalRepresentation(key, nil) as Data?)
        }
        let labels = [
            try KeyCase.attributes(key), try KeyCase.attributes(publicKey),
        ].map { $0[kSecAttrApplicationLabel as String] as? Data }
        #expect(labels[0]?.count == 20 && labels[0] == labels[1])
    }

    // MARK: Representations

    @Test(arguments: [
        (kSecAttrKeyTypeRSA as String, 2048), (kSecAttrKeyTypeEC as String, 256), (kSecAttrKeyTypeEC as String, 521),
        (kSecAttrKeyTypeEd25519 as String, 256), (kSecAttrKeyTypeX25519 as String, 256),
    ])
    func whatIsWrittenIsReadAgain(type: String, bits: Int) throws {
        let key = try KeyCase.make(type, bits)
        for key in [key, try #require(SecKeyCopyPublicKey(key))] {
            let data = try #require(SecKeyCopyExternalRepresentation(key, nil))
            let keyClass = try #require(try KeyCase.attributes(key)[kSecAttrKeyClass as String] as? String)
            #expect(try KeyCase.read(data as Data, type, keyClass) == key)
        }
    }

    /// Such a key is used as any other, and nothing gives its bytes.
    @Test func aKeyThatIsNotExtractableIsNotExported() throws {
        let flag = [kSecAttrIsExtractable as String: false]
        let kind: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits as String: 256,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        let whole = kind.merging(flag) { $1 } as CFDictionary
        let parts = kind.merging([kSecPrivateKeyAttrs as String: flag]) { $1 } as CFDictionary
        let other = try #require(SecKeyCopyExternalRepresentation(KeyCase.make(kSecAttrKeyTypeEC as String, 256), nil))
        for key in [
            SecKeyCreateRandomKey(whole, nil), SecKeyCreateRandomKey(parts, nil),
            SecKeyCreateWithData(other, whole, nil),
        ] {
            let key = try #require(key)
            var error: Unmanaged<CFError>?
            #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
            #expect(KeyCase.status(&error) == errSecUnimplemented)
            let attributes = try KeyCase.attributes(key)
            #expect(attributes[kSecAttrIsExtractable as String] as? Bool == false)
            #expect(attributes[kSecValueData as String] == nil)
            // A copy in a keychain would take its bytes out, too.
            #expect(SecItemAdd([kSecValueRef: key] as CFDictionary, nil) == errSecUnimplemented)
            var exported: CFData?
            #expect(SecItemExport(key, .formatUnknown, [], nil, &exported) == errSecUnimplemented && exported == nil)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(SecKeyCopyExternalRepresentation(publicKey, nil) != nil)
            let data = Data("message".utf8) as CFData
            let signature = try #require(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data, nil))
            #expect(SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, data, signature, nil))
        }
    }

    /// Exponents that no key has; the others are in `RSAReadingTests`.
    @Test func anImpossibleKeyIsRefused() throws {
        let key = try #require(SecKeyCopyPublicKey(KeyCase.make(kSecAttrKeyTypeRSA as String, 1024)))
        var data = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        for exponent: [UInt8] in [[0, 0, 0], [0, 0, 1], [1, 0, 0]] {
            data.replaceSubrange(data.count - 3..<data.count, with: exponent)
            let kind = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic]
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(data as CFData, kind as CFDictionary, &error) == nil)
            #expect(KeyCase.status(&error) == errSecParam)
            #expect(
                SecItemAdd(
                    [
                        kSecClass: kSecClassKey, kSecValueData: data, kSecAttrKeyType: kSecAttrKeyTypeRSA,
                        kSecAttrKeyClass: kSecAttrKeyClassPublic,
                    ] as CFDictionary, nil) == errSecParam)
        }
    }

    @Test func whatIsNoKeyIsRefused() throws {
        let key = try KeyCase.make(kSecAttrKeyTypeEC as String, 256)
        let data = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        let (ec, rsa) = (kSecAttrKeyTypeEC as String, kSecAttrKeyTypeRSA as String)
        let (privateKey, publicKey) = (kSecAttrKeyClassPrivate as String, kSecAttrKeyClassPublic as String)
        // The class or type is wrong, the data is damaged, cut off or empty, or the attributes say too little.
        for (data, attributes): (Data, [String: Any]) in [
            (data, [kSecAttrKeyType as String: ec, kSecAttrKeyClass as String: publicKey]),
            (data, [kSecAttrKeyType as String: rsa, kSecAttrKeyClass as String: privateKey]),
            (KeyCase.damaged(data), [kSecAttrKeyType as String: ec, kSecAttrKeyClass as String: privateKey]),
            (data.dropLast(), [kSecAttrKeyType as String: ec, kSecAttrKeyClass as String: privateKey]),
            (Data(), [kSecAttrKeyType as String: ec, kSecAttrKeyClass as String: privateKey]),
            (data, [kSecAttrKeyType as String: ec]), (data, [kSecAttrKeyClass as String: privateKey]),
            (data, [kSecAttrKeyType as String: ec, kSecAttrKeyClass as String: "2"]),
        ] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error) == nil)
            #expect(KeyCase.status(&error) == errSecParam)
        }
    }

    @Test func equalKeysAreEqual() throws {
        let key = try KeyCase.make(kSecAttrKeyTypeEC as String, 256)
        let data = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        let again = try KeyCase.read(data, kSecAttrKeyTypeEC as String, kSecAttrKeyClassPrivate as String)
        #expect(again == key && again !== key && again.hash == key.hash && CFEqual(again, key))
        #expect(try KeyCase.make(kSecAttrKeyTypeEC as String, 256) != key)
        #expect(SecKeyCopyPublicKey(key) != key)
        #expect(!key.description.contains(data.base64EncodedString()) && key.description.contains("EC, 256 bits"))
    }
}

/// Keys and errors in the terms of these tests.
enum KeyCase {
    static func make(_ type: String, _ bits: Int) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(
            [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits] as CFDictionary, &error)
        return try #require(key, "\(String(describing: error?.takeRetainedValue()))")
    }

    static func read(_ data: Data, _ type: String, _ keyClass: String) throws -> SecKey {
        let attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass] as CFDictionary
        return try #require(SecKeyCreateWithData(data as CFData, attributes, nil))
    }

    static func attributes(_ key: SecKey) throws -> [String: Any] {
        try #require(SecKeyCopyAttributes(key) as? [String: Any])
    }

    /// The status of an error in Apple's domain, or nil for no error; releases the error.
    static func status(_ error: inout Unmanaged<CFError>?) -> OSStatus? {
        guard let taken = error?.takeRetainedValue() else { return nil }
        error = nil
        guard CFErrorGetDomain(taken) as String == NSOSStatusErrorDomain else { return nil }
        return OSStatus(CFErrorGetCode(taken))
    }

    static func damaged(_ data: Data) -> Data {
        var data = data
        data[data.count / 2] ^= 1
        return data
    }
}
