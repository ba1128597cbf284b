import Foundation
import Security

/// A store whose queries are `[String: AnyHashable]`, and whose generic function casts results to the requested type.
public struct Vault {
    private let baseQuery: [String: AnyHashable]

    public init(identifier: String, accessibility: Accessibility = .whenUnlocked) {
        var query: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: identifier,
            kSecAttrAccessible as String: accessibility.rawValue,
        ]
        if #available(iOS 13.0, macOS 10.15, tvOS 13.0, watchOS 6.0, *) {
            query[kSecUseDataProtectionKeychain as String] = true
        }
        baseQuery = query
    }

    public static func copy<Result>(matching query: [String: AnyHashable]) throws -> Result {
        var result: AnyObject? = nil
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        guard let typed = result as? Result else { throw KeychainError.itemNotFound }
        return typed
    }

    public func setObject(_ object: Data, forKey key: String) throws {
        var query = baseQuery
        query[kSecAttrAccount as String] = key
        if status(matching: query) == errSecSuccess {
            let update: [String: AnyHashable] = [kSecValueData as String: object]
            let status = SecItemUpdate(query as CFDictionary, update as CFDictionary)
            guard status == errSecSuccess else { throw KeychainError(status: status) }
        } else {
            query[kSecValueData as String] = object
            let status = SecItemAdd(query as CFDictionary, nil)
            guard status == errSecSuccess else { throw KeychainError(status: status) }
        }
    }

    public func object(forKey key: String) throws -> Data {
        var query = baseQuery
        query[kSecAttrAccount as String] = key
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnData as String] = true
        return try Self.copy(matching: query)
    }

    public func setString(_ string: String, forKey key: String) throws {
        try setObject(Data(string.utf8), forKey: key)
    }

    public func string(forKey key: String) throws -> String {
        let data = try object(forKey: key)
        guard let string = String(data: data, encoding: .utf8) else { throw KeychainError.unexpectedData }
        return string
    }

    public func set<Value: Encodable>(_ value: Value, forKey key: String) throws {
        try setObject(JSONEncoder().encode(value), forKey: key)
    }

    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value {
        try JSONDecoder().decode(type, from: object(forKey: key))
    }

    public func containsObject(forKey key: String) -> Bool {
        var query = baseQuery
        query[kSecAttrAccount as String] = key
        return status(matching: query) == errSecSuccess
    }

    public func allKeys() throws -> Set<String> {
        var query = baseQuery
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        do {
            let result: Any = try Self.copy(matching: query)
            if let items = result as? [[String: AnyHashable]] {
                return Set(items.compactMap { $0[kSecAttrAccount as String] as? String })
            } else if let item = result as? [String: AnyHashable], let key = item[kSecAttrAccount as String] as? String {
                return [key]
            }
            return []
        } catch KeychainError.itemNotFound {
            return []
        }
    }

    public func removeObject(forKey key: String) throws {
        var query = baseQuery
        query[kSecAttrAccount as String] = key
        try remove(query)
    }

    public func removeAllObjects() throws { try remove(baseQuery) }

    private func remove(_ query: [String: AnyHashable]) throws {
        switch SecItemDelete(query as CFDictionary) {
        case errSecSuccess, errSecItemNotFound: break
        case let status: throw KeychainError(status: status)
        }
    }

    private func status(matching query: [String: AnyHashable]) -> OSStatus {
        SecItemCopyMatching(query as CFDictionary, nil)
    }
}
