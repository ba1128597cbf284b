import Foundation
import Security

/// A store whose queries are `[CFString: Any]` literals, cast where they are used.
public enum ConstantKeyed {
    public static func add(_ secret: Data, service: String, account: String, synchronizable: Bool = false) throws -> Data {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecAttrSynchronizable: synchronizable,
            kSecValueData: secret,
            kSecReturnPersistentRef: true,
        ]
        var reference: CFTypeRef?
        try SecItemAdd(attributes as CFDictionary, &reference).check()
        guard let data = reference as? Data else { throw KeychainError.unexpectedData }
        return data
    }

    public static func secret(reference: Data) throws -> Data {
        let query = [kSecValuePersistentRef: reference, kSecReturnData: true] as [CFString: Any]
        var item: CFTypeRef?
        try SecItemCopyMatching(query as CFDictionary, &item).check()
        guard let data = item as? Data else { throw KeychainError.unexpectedData }
        return data
    }

    public static func references(service: String) throws -> [Data] {
        let query = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecMatchLimit: kSecMatchLimitAll,
            kSecAttrSynchronizable: kSecAttrSynchronizableAny, kSecReturnPersistentRef: true,
        ] as CFDictionary
        var items: CFTypeRef?
        let status = SecItemCopyMatching(query, &items)
        if status == errSecItemNotFound { return [] }
        try status.check()
        return items as? [Data] ?? []
    }

    public static func rename(reference: Data, account: String) throws {
        let query = [kSecValuePersistentRef: reference] as CFDictionary
        try SecItemUpdate(query, [kSecAttrAccount: account] as CFDictionary).check()
    }

    public static func delete(reference: Data) throws {
        try SecItemDelete([kSecValuePersistentRef: reference] as CFDictionary).check()
    }
}
