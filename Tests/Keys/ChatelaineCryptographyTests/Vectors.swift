import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineCryptography

/// Wycheproof's test vectors, read from their folder beside the work tree.
struct Vectors: Decodable {
    struct Group: Decodable {
        let publicKeyPoint: String?
        let publicKeyAsn: String?
        let privateKeyPkcs8: String?
        let tests: [Case]
    }

    struct Case: Decodable {
        let tcId: Int
        let result: String
        let flags: [String]
        let msg: String?
        let sig: String?
        let ct: String?
        let label: String?
        let `public`: String?
        let `private`: String?
        let shared: String?
    }

    let groups: [Group]

    static let folder = Repository.root.appendingPathComponent("../shared/vectors")
    static var areHere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    static func named(_ name: String) throws -> Vectors {
        let data = try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
        return try JSONDecoder().decode(Vectors.self, from: data)
    }
}

extension String {
    /// The bytes that the hexadecimal digits stand for.
    func bytes() throws -> [UInt8] { try #require(Hexadecimal.bytes(of: utf8)) }
}

/// Operations on keys with arrays, as tests use them.
enum Keys {
    static func read(_ kind: KeyKind, isPrivate: Bool, _ bytes: [UInt8]) throws -> CryptographicKey {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try CryptographicKey(kind, isPrivate: isPrivate, representation: bytes)
            }
        }.get()
    }

    static func sign(_ data: [UInt8], _ key: CryptographicKey, _ algorithm: KeyAlgorithm) throws -> [UInt8] {
        try data.withUnsafeBytes { data in
            Result { () throws(KeychainError) in try key.signature(of: data, by: algorithm) }
        }.get()
    }

    /// Returns false if the signature does not match, and throws every other failure.
    static func verifies(
        _ signature: [UInt8], _ data: [UInt8], _ key: CryptographicKey, _ algorithm: KeyAlgorithm
    ) throws -> Bool {
        let result = signature.withUnsafeBytes { signature in
            data.withUnsafeBytes { data in
                Result { () throws(KeychainError) in try key.verify(signature, of: data, by: algorithm) }
            }
        }
        if case .failure(let error) = result, error.status == .verifyFailed { return false }
        try result.get()
        return true
    }

    static func encrypt(_ data: [UInt8], _ key: CryptographicKey, _ algorithm: KeyAlgorithm) throws -> [UInt8] {
        try data.withUnsafeBytes { data in
            Result { () throws(KeychainError) in try key.encrypted(data, by: algorithm) }
        }.get()
    }

    static func decrypt(_ data: [UInt8], _ key: CryptographicKey, _ algorithm: KeyAlgorithm) throws -> [UInt8] {
        try data.withUnsafeBytes { data in
            Result { () throws(KeychainError) in try key.decrypted(data, by: algorithm) }
        }.get().withUnsafeBytes { [UInt8]($0) }
    }

    static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { [UInt8]($0) } }
}
