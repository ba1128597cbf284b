import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineCryptography

/// All of Apple's algorithm names in the table of its interface are understood.
@Suite struct KeyAlgorithmTests {
    private static func names(_ prefix: String) throws -> [String] {
        let table = Repository.root.appendingPathComponent("Tools/data/api.tsv")
        return try String(contentsOf: table, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells[0].hasPrefix("SecKeyAlgorithm.\(prefix)"), cells[3].hasPrefix("\""), cells[4] != "3" else {
                return nil
            }
            return String(cells[3].dropFirst().dropLast())
        }
    }

    /// Each name is a different algorithm, except for the older name of RFC 4754 signatures and the cofactor variants
    /// of encryption, since cofactors are 1.
    @Test(arguments: [
        ("rsaSignature", 22), ("ecdsaSignature", 22), ("ecdhKeyExchange", 12),
        ("rsaEncryption", 12), ("ecies", 9),
    ])
    func everyNameIsUnderstood(prefix: String, count: Int) throws {
        let names = try Self.names(prefix)
        #expect(!names.isEmpty)
        for name in names { #expect(KeyAlgorithm(name: name) != nil, "\(name)") }
        #expect(Set(names.compactMap { KeyAlgorithm(name: $0) }).count == count)
    }

    @Test func encryptionIsUnderstood() {
        #expect(KeyAlgorithm(name: "algid:encrypt:RSA:raw") == .rsaEncryption(.none))
        for digest in KeyDigest.allCases {
            #expect(KeyAlgorithm(name: "algid:encrypt:RSA:OAEP:\(digest.rawValue)") == .rsaEncryption(.oaep(digest)))
        }
    }

    @Test(arguments: [
        "", "algid", "algid:", "algid:sign", "algid:sign:RSA", "algid:sign:RSA:", "algid:sign:RSA:digest-PSS",
        "algid:sign:RSA:digest-PSS:SHA256", "algid:sign:RSA:digest-PSS:SHA256:SHA1:32",
        "algid:sign:RSA:digest-PSS:SHA256:SHA256:20", "algid:sign:RSA:digest-PKCS1v15:MD5", "algid:sign:RSA:raw:SHA1",
        "algid:sign:RSA:message-PKCS1v15", "algid:sign:ECDSA:message-X962", "algid:sign:ECDSA:message-X962:SHA3",
        "algid:sign:DSA:raw", "algid:keyexchange", "algid:keyexchange:DH", "algid:keyexchange:ECDH:KDFX963",
        "algid:keyexchange:ECDH:HKDF:SHA1", "algid:encrypt:RSA:OAEP", "algid:encrypt:RSA:OAEP:SHA1:AES",
        "algid:encrypt:ECIES:ECDH:KDFX963:SHA1",
        "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESCCM", "algid:encrypt:RSA:PKCS1:SHA1", "SHA1",
    ])
    func anythingElseIsNone(name: String) { #expect(KeyAlgorithm(name: name) == nil) }
}
