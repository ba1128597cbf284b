import Foundation
import Security

/// A store whose queries are NSMutableDictionary, filled by subscript and by `setObject`, as in code from Objective-C.
public final class ItemDictionary {
    private let service: NSString

    public init(service: String) { self.service = service as NSString }

    private func dictionary(account: String) -> NSMutableDictionary {
        let query = NSMutableDictionary()
        query.setObject(kSecClassGenericPassword, forKey: kSecClass as NSString)
        query[kSecAttrService as NSString] = service
        query[kSecAttrAccount as String] = account
        return query
    }

    public func save(_ value: NSData, account: String) -> OSStatus {
        let query = dictionary(account: account)
        let status = SecItemAdd(
            {
                let attributes = query.mutableCopy() as! NSMutableDictionary
                attributes[kSecValueData as NSString] = value
                return attributes as CFDictionary
            }(), nil)
        guard status == errSecDuplicateItem else { return status }
        let update = NSMutableDictionary(object: value, forKey: kSecValueData as NSString)
        return SecItemUpdate(query, update)
    }

    public func load(account: String) -> (OSStatus, NSData?) {
        let query = dictionary(account: account)
        query[kSecReturnData as String] = kCFBooleanTrue!
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query, &result)
        guard status == errSecSuccess, let object = result, CFGetTypeID(object) == CFDataGetTypeID() else {
            return (status, nil)
        }
        return (status, (object as! CFData) as NSData)
    }

    /// All attributes of an item, with keys of any type: they can be looked up by constant and by string.
    public func attributes(account: String) -> [AnyHashable: Any]? {
        let query = dictionary(account: account)
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return result as? [AnyHashable: Any]
    }

    public func delete(account: String) -> OSStatus { SecItemDelete(dictionary(account: account)) }
}
