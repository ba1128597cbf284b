import Foundation
import Security

// Such libraries keep the constants as implicitly unwrapped strings.
private let secClass: String! = kSecClass as String
private let secAttrService: String! = kSecAttrService as String
private let secAttrAccount: String! = kSecAttrAccount as String
private let secAttrGeneric: String! = kSecAttrGeneric as String
private let secAttrAccessible: String! = kSecAttrAccessible as String
private let secMatchLimit: String! = kSecMatchLimit as String

/// A store with accounts as encoded data and archived values, which adds first and updates if there is a duplicate.
open class EncodedAccounts {
    public let service: String

    public init(service: String) { self.service = service }

    @discardableResult
    open func set(_ number: NSNumber, forKey key: String) throws -> Bool {
        set(try NSKeyedArchiver.archivedData(withRootObject: number, requiringSecureCoding: true), forKey: key)
    }

    @discardableResult
    open func set(_ value: Data, forKey key: String, accessible: CFString = kSecAttrAccessibleWhenUnlocked) -> Bool {
        var attributes: [String: Any] = query(forKey: key)
        attributes[kSecValueData as String] = value
        attributes[secAttrAccessible] = accessible
        let status: OSStatus = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecDuplicateItem else { return status == errSecSuccess }
        let update = [kSecValueData as String: value]
        return SecItemUpdate(query(forKey: key) as CFDictionary, update as CFDictionary) == errSecSuccess
    }

    open func number(forKey key: String) throws -> NSNumber? {
        try data(forKey: key).flatMap { try NSKeyedUnarchiver.unarchivedObject(ofClass: NSNumber.self, from: $0) }
    }

    open func data(forKey key: String) -> Data? {
        var query = query(forKey: key)
        query[kSecReturnData as String] = kCFBooleanTrue
        return copy(query) as? Data
    }

    open func accessibility(ofKey key: String) -> CFString? {
        var query = query(forKey: key)
        query.removeValue(forKey: secAttrAccessible)
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        let attributes = copy(query) as? [String: AnyObject]
        return (attributes?[secAttrAccessible] as? String).map { $0 as CFString }
    }

    /// All keys, read from dictionaries with keys of any type; the literal boxes the optional truth value.
    open func allKeys() -> Set<String> {
        let query: [String: Any] = [
            secClass: kSecClassGenericPassword,
            secAttrService: service,
            kSecReturnAttributes as String: kCFBooleanTrue as Any,
            secMatchLimit: kSecMatchLimitAll,
        ]
        var keys = Set<String>()
        for attributes in copy(query) as? [[AnyHashable: Any]] ?? [] {
            // An optional string as AnyHashable equals no string on any platform, so the lookup uses the constant.
            guard let account = attributes[kSecAttrAccount] as? Data else { continue }
            keys.insert(String(decoding: account, as: UTF8.self))
        }
        return keys
    }

    @discardableResult
    open func removeAll() -> Bool {
        let query: [String: Any] = [secClass: kSecClassGenericPassword, secAttrService: service]
        return SecItemDelete(query as CFDictionary) == errSecSuccess
    }

    private func copy(_ query: [String: Any]) -> AnyObject? {
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        return status == noErr ? result : nil
    }

    private func query(forKey key: String) -> [String: Any] {
        var query: [String: Any] = [secClass: kSecClassGenericPassword]
        query[secAttrService] = service
        let encoded: Data? = key.data(using: String.Encoding.utf8)
        query[secAttrGeneric] = encoded
        query[secAttrAccount] = encoded
        return query
    }
}
