import Foundation
import Security

/// Changes of items; look-ups use other items.
extension Workload {
    private static let changedService = "chatelaine-bench-changed"

    func addThroughSecItem(_ step: Int) -> () throws -> Void { addThroughSecItem("added-\(step)") }

    func addThroughSecItem(_ account: String) -> () throws -> Void {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.changedService,
            kSecAttrAccount as String: account, kSecAttrLabel as String: "An account of the benchmark, \(account)",
            kSecValueData as String: Data(repeating: 7, count: 24),
        ]
        let dictionary = attributes as CFDictionary
        return { try Self.check(SecItemAdd(dictionary, nil), "addition") }
    }

    /// Sets a new secret in an item that ``addThroughSecItem(_:)`` added.
    func update(_ step: Int) -> () throws -> Void {
        let query = Self.added(step)
        let change = [kSecValueData as String: Data(repeating: 8, count: 24)] as CFDictionary
        return { try Self.check(SecItemUpdate(query, change), "update") }
    }

    func delete(_ step: Int) -> () throws -> Void {
        let query = Self.added(step)
        return { try Self.check(SecItemDelete(query), "deletion") }
    }

    private static func added(_ step: Int) -> CFDictionary {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: changedService,
            kSecAttrAccount as String: "added-\(step)",
        ]
        return query as CFDictionary
    }

    private static func check(_ status: Int32, _ what: String) throws {
        try BenchError.check(status == 0, "\(what): \(status)")
    }
}
