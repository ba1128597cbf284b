import Foundation
import LocalAuthentication
import Security

/// Items that require user presence.
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

    private static let ownService = "chatelaine-bench-own"
    private static let ownCount = 100

    /// Looks up items under an application password, with a context that has the password.
    static func withContext() throws -> (Int) -> () throws -> Void {
        let context = LAContext()
        try BenchError.check(
            context.setCredential(Data("open sesame".utf8), type: .applicationPassword), "the password is not taken")
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)
        else { throw BenchError("no access control") }
        func item(_ index: Int) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: ownService,
                kSecAttrAccount as String: account(index), kSecUseAuthenticationContext as String: context,
            ]
        }
        let secret = secret.withUnsafeBytes { Data($0) }
        for index in 0..<ownCount {
            let whole = item(index).merging([
                kSecAttrAccessControl as String: control, kSecValueData as String: secret,
            ]) { $1 }
            let status = SecItemAdd(whole as CFDictionary, nil)
            try BenchError.check(status == errSecSuccess, "an item with a password cannot be added: \(status)")
        }
        return { step in
            let query = item(step % ownCount).merging([kSecReturnData as String: true]) { $1 } as CFDictionary
            return {
                var result: CFTypeRef?
                let status = SecItemCopyMatching(query, &result)
                try BenchError.check(status == 0 && result is NSData, "look-up with a context: \(status)")
            }
        }
    }
}
