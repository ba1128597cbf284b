import Foundation
import Security

/// Items that ask for their owner.
extension Workload {
    private static let guardedService = "chatelaine-bench-guarded"

    func fillWithGuarded(_ number: Int) throws {
        for index in 0..<number {
            try Self.addGuarded([
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.guardedService,
                kSecAttrAccount as String: Self.account(index),
            ])
        }
    }

    static func addGuarded(_ item: [String: Any]) throws {
        guard
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        else { throw BenchError("no access control") }
        let secret = secret.withUnsafeBytes { Data($0) }
        let whole = item.merging([
            kSecAttrAccessControl as String: control, kSecValueData as String: secret,
        ]) { $1 }
        let status = SecItemAdd(whole as CFDictionary, nil)
        try BenchError.check(status == errSecSuccess, "an item that asks cannot be added: \(status)")
    }
}
