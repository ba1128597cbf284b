import ChatelaineModel
import Crypto
import Testing

@testable import ChatelaineCryptography

/// What others found to go wrong with such keys, case by case. A case that is `acceptable` may come to either.
@Suite(.enabled(if: Vectors.areHere, "optional: no vectors")) struct VectorTests {
    private static func check(_ test: Vectors.Case, _ isValid: Bool) {
        switch test.result {
        case "valid": #expect(isValid, "case \(test.tcId): \(test.flags)")
        case "invalid": #expect(!isValid, "case \(test.tcId): \(test.flags)")
        default: break
        }
    }

    @Test(arguments: [
        ("ecdsa_secp256r1_sha256", KeyDigest.sha256, KeyAlgorithm.Form.x962),
        ("ecdsa_secp256r1_sha256_p1363", .sha256, .rfc4754), ("ecdsa_secp384r1_sha384", .sha384, .x962),
        ("ecdsa_secp521r1_sha512", .sha512, .x962),
    ])
    func signaturesOfCurves(name: String, digest: KeyDigest, form: KeyAlgorithm.Form) throws {
        for group in try Vectors.named(name).groups {
            let key = try CryptographicKey(.ec, publicRepresentation: try #require(group.publicKeyPoint).bytes())
            for test in group.tests {
                let (message, signature) = (try #require(test.msg).bytes(), try #require(test.sig).bytes())
                Self.check(
                    test,
                    try Keys.verifies(signature, message, key, .ecSignature(form, digest, isMessage: true)))
            }
        }
    }

    @Test(arguments: [
        ("rsa_signature_2048_sha256", KeyAlgorithm.Filling.pkcs1, KeyDigest.sha256),
        ("rsa_signature_2048_sha512", .pkcs1, .sha512), ("rsa_pss_2048_sha256_mgf1_32", .pss, .sha256),
        ("rsa_pss_4096_sha512_mgf1_64", .pss, .sha512),
    ])
    func signaturesOfRSA(name: String, filling: KeyAlgorithm.Filling, digest: KeyDigest) throws {
        for group in try Vectors.named(name).groups {
            let key = try CryptographicKey(.rsa, publicRepresentation: try #require(group.publicKeyAsn).bytes())
            for test in group.tests {
                let (message, signature) = (try #require(test.msg).bytes(), try #require(test.sig).bytes())
                Self.check(
                    test,
                    try Keys.verifies(signature, message, key, .rsaSignature(filling, digest, isMessage: true)))
            }
        }
    }

    @Test(arguments: [
        ("rsa_oaep_2048_sha1_mgf1sha1", KeyDigest.sha1), ("rsa_oaep_2048_sha256_mgf1sha256", .sha256),
    ])
    func encryptionByRSA(name: String, digest: KeyDigest) throws {
        for group in try Vectors.named(name).groups {
            // PKCS#8 of an RSA key of 2048 bits has 26 bytes before PKCS#1.
            let key = try Keys.read(.rsa, isPrivate: true, Array(#require(group.privateKeyPkcs8).bytes().dropFirst(26)))
            var answers: Set<String> = []
            for test in group.tests where test.label?.isEmpty ?? true {
                let decrypted = Result { try Keys.decrypt(test.ct?.bytes() ?? [], key, .rsaEncryption(.oaep(digest))) }
                Self.check(test, try (try? decrypted.get()) == test.msg?.bytes())
                guard case .failure(let error as KeychainError) = decrypted else { continue }
                #expect(error.status == .decode)
                answers.insert(error.reason)
            }
            // Whatever is wrong with a block, the answer is the same, in its words too.
            #expect(answers.count == 1, "\(answers)")
        }
    }

    /// What was filled up wrongly comes to a message of the key's own making, and to the same one each time.
    @Test func wrongFillingIsNotTold() throws {
        for group in try Vectors.named("rsa_pkcs1_2048").groups {
            let key = try Keys.read(.rsa, isPrivate: true, Array(#require(group.privateKeyPkcs8).bytes().dropFirst(26)))
            for test in group.tests {
                let block = try #require(test.ct).bytes()
                let decrypted = Result { try Keys.decrypt(block, key, .rsaEncryption(.pkcs1)) }
                Self.check(test, try (try? decrypted.get()) == test.msg?.bytes())
                guard test.result == "invalid" else { continue }
                // What is no block, and what is no number below the modulus, everybody sees.
                guard case .success(let made) = decrypted else {
                    #expect(block.count != 256 || block[0] >= 0x80, "case \(test.tcId): \(test.flags)")
                    continue
                }
                #expect(made.count <= 245)
                #expect(try Keys.decrypt(block, key, .rsaEncryption(.pkcs1)) == made)
            }
        }
    }

    @Test(arguments: [("ecdh_secp256r1_ecpoint", 32), ("ecdh_secp384r1_ecpoint", 48), ("ecdh_secp521r1_ecpoint", 66)])
    func agreement(name: String, width: Int) throws {
        for group in try Vectors.named(name).groups {
            for test in group.tests {
                let number = try #require(test.private).bytes().drop { $0 == 0 }
                guard number.count <= width else { continue }
                let scalar = [UInt8](repeating: 0, count: width - number.count) + number
                let key = try Keys.read(.ec, isPrivate: true, Self.x963(scalar))
                let secret = Result {
                    let other = try CryptographicKey(.ec, publicRepresentation: try #require(test.public).bytes())
                    return try Keys.bytes(key.secret(with: other, by: .keyExchange(nil)))
                }
                Self.check(test, try (try? secret.get()) == test.shared?.bytes())
            }
        }
    }

    /// 04, X, Y and K, calculated by another library.
    private static func x963(_ scalar: [UInt8]) throws -> [UInt8] {
        switch scalar.count {
        case 32: try Array(P256.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        case 48: try Array(P384.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        default: try Array(P521.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        }
    }
}
