import Foundation
import Security

/// A keychain that an app shares with its other apps and extensions, through an access group or an app group.
public final class SharedVault {
    public enum Group: Hashable {
        /// A `keychain-access-groups` entry, with the part before its first full stop.
        case keychain(prefix: String, identifier: String)
        /// A `com.apple.security.application-groups` entry.
        case app(String)

        var accessGroup: String {
            switch self {
            case let .keychain(prefix, identifier): return "\(prefix).\(identifier)"
            case let .app(identifier): return identifier
            }
        }
    }

    /// The team's prefix, which no call returns: an item that was added without a group has it in its group.
    public static func seedIdentifier() -> String? {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrAccount: "bundleSeedID",
            kSecAttrService: "",
            kSecReturnAttributes: true,
        ]
        var result: CFTypeRef?
        var status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound {
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
            status = SecItemAdd(query as CFDictionary, &result)
        }
        guard status == errSecSuccess, let attributes = result as? [String: Any],
            let group = attributes[kSecAttrAccessGroup as String] as? String
        else { return nil }
        return group.components(separatedBy: ".").first
    }

    /// The groups in the program's own signature, which macOS allows it to read.
    public static func declaredGroups() -> [String] {
        guard let task = SecTaskCreateFromSelf(nil) else { return [] }
        var groups: [String] = []
        for name in ["keychain-access-groups", "com.apple.security.application-groups"] {
            groups += SecTaskCopyValueForEntitlement(task, name as CFString, nil) as? [String] ?? []
        }
        return groups
    }

    private let base: [String: AnyHashable]

    public init(service: String, group: Group) {
        base = [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: service,
            kSecAttrAccessGroup as String: group.accessGroup,
            kSecUseDataProtectionKeychain as String: true,
        ]
    }

    /// Whether this program can use the keychain, tried by writing and reading an item.
    public func canAccess() -> Bool {
        let canary = Data("canary".utf8)
        do {
            try set(canary, for: "canary")
            defer { try? remove("canary") }
            return try data(for: "canary") == canary
        } catch {
            return false
        }
    }

    public func set(_ data: Data, for account: String) throws {
        let query = base.merging([kSecAttrAccount as String: account]) { $1 }
        var status = SecItemUpdate(query as CFDictionary, [kSecValueData as String: data] as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging([kSecValueData as String: data]) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
    }

    public func data(for account: String) throws -> Data {
        let query = base.merging([kSecAttrAccount as String: account, kSecReturnData as String: true]) { $1 }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        guard let data = result as? Data else { throw KeychainError.unexpectedData }
        return data
    }

    /// Moves an item to another of the program's groups.
    public func move(_ account: String, to group: Group) throws {
        let query = base.merging([kSecAttrAccount as String: account]) { $1 }
        let status = SecItemUpdate(
            query as CFDictionary, [kSecAttrAccessGroup as String: group.accessGroup] as CFDictionary)
        guard status == errSecSuccess else { throw KeychainError(status: status) }
    }

    public func remove(_ account: String) throws {
        let status = SecItemDelete(base.merging([kSecAttrAccount as String: account]) { $1 } as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw KeychainError(status: status) }
    }
}
