import Foundation
import Security

/// Passwords of one service, as an iOS application would keep them.
struct PasswordKeeper {
    /// What the keychain answered, where it was neither success nor an item that is not there.
    struct Failure: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String {
            let message = SecCopyErrorMessageString(status, nil) as String?
            return "\(message ?? "unknown error") (\(status))"
        }
    }

    let service: String

    /// Stores a password, in the place of an older one if there is one.
    func set(_ password: String, for account: String) throws {
        let data = Data(password.utf8)
        let changes = [kSecValueData as String: data]
        let status = SecItemUpdate(baseQuery(for: account) as CFDictionary, changes as CFDictionary)
        guard status == errSecItemNotFound else { return try check(status) }

        var item = baseQuery(for: account)
        item[kSecValueData as String] = data
        item[kSecAttrLabel as String] = "Password of \(account)"
        item[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
        try check(SecItemAdd(item as CFDictionary, nil))
    }

    /// The password of an account, or nil if there is none.
    func get(for account: String) throws -> String? {
        var query = baseQuery(for: account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne

        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = result as? Data else { throw Failure(status: errSecDecode) }
        return String(data: data, encoding: .utf8)
    }

    /// Forgets the password of an account; says whether there was one.
    func delete(for account: String) throws -> Bool {
        let status = SecItemDelete(baseQuery(for: account) as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    private func baseQuery(for account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw Failure(status: status) }
    }
}
