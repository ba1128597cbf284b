import ChatelaineModel
import Crypto
import Testing

@testable import ChatelaineCryptography

/// Wycheproof's cases of known faults end as they should.
///
/// A case marked `acceptable` may end either way.
@Suite(.enabled(if: Vectors.areHere, "optional: no vectors")) struct VectorTests {
    private static func check(_ test: Vectors.Case, _ isValid: Bool) {
        switch test.result {
        case "valid": #expect(isValid, "case \(test.tcId): \(test.flags)")
        case "invalid": #expect(!isValid, "case \(test.tcId): \(test.flags)")
        default: break
        }
    }

    @Test(arguments: [
        ("ecdsa_secp256r1_sha256", KeyDigest.sha256, KeyAlgorithm.SignatureEncoding.x962),
        ("ecdsa_secp256r1_sha256_p1363", .sha256, .rfc4754), ("ecdsa_secp384r1_sha384", .sha384, .x962),
        ("ecdsa_secp521r1_sha512", .sha512, .x962),
    ])
    func signaturesOfCurves(name: String, digest: KeyDigest, form: KeyAlgorithm.SignatureEncoding) throws {
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
        ("rsa_signature_2048_sha256", KeyAlgorithm.SignaturePadding.pkcs1, KeyDigest.sha256),
        ("rsa_signature_2048_sha512", .pkcs1, .sha512), ("rsa_pss_2048_sha256_mgf1_32", .pss, .sha256),
        ("rsa_pss_4096_sha512_mgf1_64", .pss, .sha512),
    ])
    func signaturesOfRSA(name: String, padding: KeyAlgorithm.SignaturePadding, digest: KeyDigest) throws {
        for group in try Vectors.named(name).groups {
            let key = try CryptographicKey(.rsa, publicRepresentation: try #require(group.publicKeyAsn).bytes())
            for test in group.tests {
                let (message, signature) = (try #require(test.msg).bytes(), try #require(test.sig).bytes())
                Self.check(
                    test,
                    try Keys.verifies(signature, message, key, .rsaSignature(padding, digest, isMessage: true)))
            }
        }
    }

    @Test(arguments: [
        ("rsa_oaep_2048_sha1_mgf1sha1", KeyDigest.sha1), ("rsa_oaep_2048_sha256_mgf1sha256", .sha256),
    ])
    func encryptionByRSA(name: String, digest: KeyDigest) throws {
        for group in try Vectors.named(name).groups {
            // In PKCS#8, an RSA key of 2048 bits has 26 bytes before its PKCS#1 form.
            let key = try Keys.read(.rsa, isPrivate: true, Array(#require(group.privateKeyPkcs8).bytes().dropFirst(26)))
            var answers: Set<String> = []
            for test in group.tests where test.label?.isEmpty ?? true {
                let decrypted = Result { try Keys.decrypt(test.ct?.bytes() ?? [], key, .rsaEncryption(.oaep(digest))) }
                Self.check(test, try (try? decrypted.get()) == test.msg?.bytes())
                guard case .failure(let error as KeychainError) = decrypted else { continue }
                #expect(error.status == .decode)
                answers.insert(error.reason)
            }
            // Every wrong block gives the same error, in the same words.
            #expect(answers.count == 1, "\(answers)")
        }
    }

    /// A wrong padding decrypts to a message derived from the key, the same one each time.
    @Test func wrongPaddingIsNotTold() throws {
        for group in try Vectors.named("rsa_pkcs1_2048").groups {
            let key = try Keys.read(.rsa, isPrivate: true, Array(#require(group.privateKeyPkcs8).bytes().dropFirst(26)))
            for test in group.tests {
                let block = try #require(test.ct).bytes()
                let decrypted = Result { try Keys.decrypt(block, key, .rsaEncryption(.pkcs1)) }
                Self.check(test, try (try? decrypted.get()) == test.msg?.bytes())
                guard test.result == "invalid" else { continue }
                // Anybody can see that a block has the wrong length or is not below the modulus.
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

    /// The key as 04, X, Y and K, calculated by another library.
    private static func x963(_ scalar: [UInt8]) throws -> [UInt8] {
        switch scalar.count {
        case 32: try Array(P256.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        case 48: try Array(P384.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        default: try Array(P521.KeyAgreement.PrivateKey(rawRepresentation: scalar).x963Representation)
        }
    }
}
