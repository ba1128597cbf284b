import Foundation
import Security

/// This keychain as a peer, through Apple's calls.
struct Chatelaine: Peer {
    static let name = "Chatelaine"

    func store(_ account: String) throws {
        let status = SecItemAdd(
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Workload.listedService,
                kSecAttrAccount as String: account, kSecAttrLabel as String: "An account of the benchmark",
                kSecValueData as String: Data(Comparison.secret),
            ] as [String: Any] as CFDictionary, nil)
        try BenchError.check(status == 0, "addition: \(status)")
    }

    func find(_ account: String) throws -> Int {
        try (find([kSecAttrAccount as String: account, kSecMatchLimit as String: kSecMatchLimitOne]) as? Data)?.count
            ?? 0
    }

    func findAll() throws -> Int { try (find([kSecMatchLimit as String: kSecMatchLimitAll]) as? [Any])?.count ?? 0 }

    private func find(_ more: [String: Any]) throws -> CFTypeRef? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Workload.listedService,
            kSecReturnData as String: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &result)
        try BenchError.check(status == 0, "look-up: \(status)")
        return result
    }
}
