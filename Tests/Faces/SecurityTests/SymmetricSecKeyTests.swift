import Foundation
import Synchronization
import Testing

@testable import Security

/// Tests of symmetric keys in memory through Apple's calls (behaviour/symmetric-keys.md).
@Suite struct SymmetricSecKeyTests {
    private func parameters(_ bits: Int? = nil, _ more: [CFString: Any] = [:]) -> CFDictionary {
        var parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeAES]
        if let bits { parameters[kSecAttrKeySizeInBits] = bits }
        return parameters.merging(more) { $1 } as CFDictionary
    }

    private func bytes(_ key: SecKey) -> Data? { SecKeyCopyExternalRepresentation(key, nil) as Data? }

    private func key(_ digits: String) throws -> SecKey {
        let data = Data(
            stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) })
        return try #require(SecKeyCreateFromData(parameters(), data as CFData, nil))
    }

    private func code(_ error: Unmanaged<CFError>?) -> CFIndex? { error.map { CFErrorGetCode($0.takeRetainedValue()) } }

    @Test(arguments: [128, 192, 256])
    func keysAreMade(_ bits: Int) throws {
        var error: Unmanaged<CFError>?
        let key = try #require(SecKeyGenerateSymmetric(parameters(bits), &error))
        let other = try #require(SecKeyGenerateSymmetric(parameters(bits), &error))
        #expect(error == nil && key != other && bytes(key)?.count == bits / 8 && bytes(key) != bytes(other))
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(attributes["kcls"] as? String == "2" && attributes["type"] as? String == "2147483649")
        #expect(attributes["bsiz"] as? Int == bits && attributes["klbl"] == nil && attributes["perm"] as? Bool == false)
        for name in ["encr", "decr", "wrap", "unwp", "drve", "extr"] { #expect(attributes[name] as? Bool == true) }
        for name in ["sign", "vrfy", "priv"] { #expect(attributes[name] as? Bool == false) }
        #expect(key.description == "<SecKey: symmetric key, AES, \(bits) bits>" && SecKeyGetBlockSize(key) == 16)
        let again = SecKeyCreateFromData(parameters(), try #require(bytes(key)) as CFData, nil)
        #expect(again == key && again?.hash == key.hash)
    }

    @Test func whatIsNoSuchKeyIsRefused() throws {
        let wrong: [CFDictionary] = [
            parameters(), parameters(64), parameters(512), [:] as CFDictionary,
            [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 128] as CFDictionary,
            [kSecAttrKeyType: kSecAttrKeyType3DES, kSecAttrKeySizeInBits: 192] as CFDictionary,
            parameters(128, [kSecAttrIsPermanent: "maybe"]),
        ]
        for parameters in wrong {
            var error: Unmanaged<CFError>?
            #expect(SecKeyGenerateSymmetric(parameters, &error) == nil && code(error) == -50, "\(parameters)")
        }
        // Nothing could enforce that a key in the program's memory stays there.
        for more: [CFString: Any] in [[:], [kSecAttrIsPermanent: false], [kSecAttrIsExtractable: "maybe"]] {
            var error: Unmanaged<CFError>?
            let kept = parameters(128, [kSecAttrIsExtractable: false as Any].merging(more) { $1 })
            #expect(SecKeyGenerateSymmetric(kept, &error) == nil && code(error) == -50)
            error = nil
            #expect(SecKeyCreateFromData(kept, Data(count: 16) as CFData, &error) == nil && code(error) == -50)
        }
        for (count, bits) in [(0, nil), (15, nil), (64, nil), (16, 256)] as [(Int, Int?)] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateFromData(parameters(bits), Data(count: count) as CFData, &error) == nil)
            #expect(code(error) == -50)
        }
    }

    /// The vectors of RFC 3394, 4.3.
    @Test func keysWrapKeys() throws {
        let wrapping = try key("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")
        let inner = try key("00112233445566778899AABBCCDDEEFF")
        let wrapped = try #require(SecKeyWrapSymmetric(inner, wrapping, [:] as CFDictionary, nil))
        #expect(
            (wrapped as Data).map { String(format: "%02X", $0) }.joined()
                == "64E8C3F9CE0F5BA263E9777905818A2A93C8191E7D6E8AE7")
        var place: Unmanaged<CFData>? = Unmanaged.passUnretained(wrapped)
        #expect(SecKeyUnwrapSymmetric(&place, wrapping, [:] as CFDictionary, nil) == inner)
        #expect(SecKeyUnwrapSymmetric(&place, wrapping, parameters(), nil) == inner)
        var error: Unmanaged<CFError>?
        #expect(SecKeyUnwrapSymmetric(&place, inner, [:] as CFDictionary, &error) == nil && code(error) == -26275)
        for (bits, given) in [(256, wrapped), (64, wrapped)] {
            (place, error) = (Unmanaged.passUnretained(given), nil)
            #expect(SecKeyUnwrapSymmetric(&place, wrapping, parameters(bits), &error) == nil && code(error) == -50)
        }
        #expect(SecKeyUnwrapSymmetric(&place, wrapping, parameters(128), nil) == inner)
        for count in [0, 7, 39, 41, 1000] {
            let noKey = Data(count: count) as CFData
            (place, error) = (Unmanaged.passUnretained(noKey), nil)
            #expect(SecKeyUnwrapSymmetric(&place, wrapping, [:] as CFDictionary, &error) == nil)
            #expect(code(error) == -26275, "\(count) bytes")
        }
        var nothing: Unmanaged<CFData>?
        error = nil
        #expect(SecKeyUnwrapSymmetric(&nothing, wrapping, [:] as CFDictionary, &error) == nil && code(error) == -50)
    }

    /// The vectors of RFC 6070 and RFC 7914, 11.
    @Test func aKeyFollowsFromAPassword() throws {
        let sha1: [CFString: Any] = [
            kSecAttrSalt: Data("salt".utf8), kSecAttrRounds: 4096, kSecAttrPRF: kSecAttrPRFHmacAlgSHA1,
        ]
        let first = try #require(SecKeyDeriveFromPassword("password" as CFString, parameters(128, sha1), nil))
        #expect(try first == key("4B007901B765489ABEAD49D926F721D0"))
        let sha256: [CFString: Any] = [kSecAttrSalt: Data("salt".utf8), kSecAttrRounds: 1]
        let second = try #require(SecKeyDeriveFromPassword("passwd" as CFString, parameters(256, sha256), nil))
        #expect(try second == key("55AC046E56E3089FEC1691C22544B605F94185216DDE0465E68B9D57C20DACBC"))
        for wrong: [CFString: Any] in [
            [kSecAttrRounds: 1], [kSecAttrSalt: Data([1])], [kSecAttrSalt: Data([1]), kSecAttrRounds: 0],
            [kSecAttrSalt: Data([1]), kSecAttrRounds: Int.max],
            [kSecAttrSalt: Data([1]), kSecAttrRounds: 1, kSecAttrPRF: "hmd5"],
        ] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyDeriveFromPassword("password" as CFString, parameters(128, wrong), &error) == nil)
            #expect(code(error) == -50)
        }
    }

    @Test func theyDoNothingElse() throws {
        let key = try #require(SecKeyGenerateSymmetric(parameters(256), nil))
        let pair = try #require(
            SecKeyCreateRandomKey([kSecAttrKeyType: 73, kSecAttrKeySizeInBits: 256] as CFDictionary, nil))
        for operation: SecKeyOperationType in [.sign, .verify, .encrypt, .decrypt, .keyExchange] {
            #expect(!SecKeyIsAlgorithmSupported(key, operation, .ecdsaSignatureMessageX962SHA256))
        }
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data() as CFData, &error) == nil)
        #expect(code(error) == -50)
        #expect(SecKeyCopyPublicKey(key) == nil)
        for (inner, outer) in [(key, pair), (pair, key)] {
            error = nil
            #expect(SecKeyWrapSymmetric(inner, outer, [:] as CFDictionary, &error) == nil && code(error) == -50)
        }
        // Nothing distinguishes the key from others of its size, so no item can be found by it.
        for status in [
            SecItemDelete([kSecClass: kSecClassKey, kSecValueRef: key] as CFDictionary),
            SecItemCopyMatching([kSecClass: kSecClassKey, kSecValueRef: key] as CFDictionary, nil),
        ] { #expect(status == errSecParam) }
    }

    @Test func aPairComesOnTheQueueThatWasNamed() async throws {
        let queue = DispatchQueue(label: "pairs")
        let name = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: name, value: true)
        func made(_ parameters: [CFString: Any]) async -> (fits: Bool, code: CFIndex, isHere: Bool, bytes: Int?) {
            await withCheckedContinuation { continuation in
                SecKeyGeneratePairAsync(parameters as CFDictionary, queue) { publicKey, privateKey, error in
                    let fits = SecKeyCopyPublicKey(privateKey) == publicKey
                    let bytes = SecKeyCopyExternalRepresentation(privateKey, nil).map(CFDataGetLength)
                    continuation.resume(
                        returning: (fits, CFErrorGetCode(error), DispatchQueue.getSpecific(key: name) == true, bytes))
                }
            }
        }
        let pair = await made([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 384])
        #expect(pair.fits && pair.code == 0 && pair.isHere && pair.bytes == 145)
        let none = await made([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 100])
        #expect(!none.fits && none.code == -50 && none.isHere && none.bytes == nil)
    }
}
