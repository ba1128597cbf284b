import Foundation
import Security

/// Names for the constants, as older libraries write them.
public struct Names {
    public static var klass: String { toString(kSecClass) }
    public static var account: String { toString(kSecAttrAccount) }
    public static var service: String { toString(kSecAttrService) }
    public static var accessible: String { toString(kSecAttrAccessible) }
    public static var synchronizable: String { toString(kSecAttrSynchronizable) }
    public static var matchLimit: String { toString(kSecMatchLimit) }
    public static var returnData: String { toString(kSecReturnData) }
    public static var returnAttributes: String { toString(kSecReturnAttributes) }
    public static var returnReference: String { toString(kSecReturnPersistentRef) }
    public static var valueData: String { toString(kSecValueData) }

    static func toString(_ value: CFString) -> String { value as String }
}

/// A class with the last status in a property, a lock around each call, and results through a pointer.
open class SimpleStore {
    open private(set) var lastStatus: OSStatus = noErr
    open var synchronizable = false
    private let prefix: String
    private let lock = NSLock()

    public init(prefix: String) { self.prefix = prefix }

    @discardableResult
    open func set(_ value: String, forKey key: String) -> Bool {
        guard let data = value.data(using: .utf8) else { return false }
        return set(data, forKey: key)
    }

    @discardableResult
    open func set(_ value: Bool, forKey key: String) -> Bool {
        let bytes: [UInt8] = value ? [1] : [0]
        return set(Data(bytes), forKey: key)
    }

    @discardableResult
    open func set(_ value: Data, forKey key: String) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        deleteNoLock(key)
        var query: [String: Any] = [
            Names.klass: kSecClassGenericPassword,
            Names.account: prefix + key,
            Names.valueData: value,
            Names.accessible: kSecAttrAccessibleWhenUnlocked as String,
        ]
        query = addSynchronizable(query, adding: true)
        lastStatus = SecItemAdd(query as CFDictionary, nil)
        return lastStatus == noErr
    }

    open func get(_ key: String) -> String? {
        guard let data = getData(key) else { return nil }
        guard let text = String(data: data, encoding: .utf8) else {
            lastStatus = -67853  // errSecInvalidEncoding
            return nil
        }
        return text
    }

    open func getBool(_ key: String) -> Bool? { getData(key)?.first.map { $0 == 1 } }

    open func getData(_ key: String, asReference: Bool = false) -> Data? {
        lock.lock()
        defer { lock.unlock() }
        var query: [String: Any] = [
            Names.klass: kSecClassGenericPassword,
            Names.account: prefix + key,
            Names.matchLimit: kSecMatchLimitOne,
        ]
        query[asReference ? Names.returnReference : Names.returnData] = kCFBooleanTrue!
        query = addSynchronizable(query, adding: false)
        var result: AnyObject?
        lastStatus = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        return lastStatus == noErr ? result as? Data : nil
    }

    open var allKeys: [String] {
        var query: [String: Any] = [
            Names.klass: kSecClassGenericPassword,
            Names.returnData: true,
            Names.returnAttributes: true,
            Names.returnReference: true,
            Names.matchLimit: kSecMatchLimitAll,
        ]
        query = addSynchronizable(query, adding: false)
        var result: AnyObject?
        lastStatus = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard lastStatus == noErr else { return [] }
        return (result as? [[String: Any]])?.compactMap { $0[Names.account] as? String } ?? []
    }

    @discardableResult
    open func delete(_ key: String) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return deleteNoLock(key)
    }

    @discardableResult
    private func deleteNoLock(_ key: String) -> Bool {
        var query: [String: Any] = [Names.klass: kSecClassGenericPassword, Names.account: prefix + key]
        query = addSynchronizable(query, adding: false)
        lastStatus = SecItemDelete(query as CFDictionary)
        return lastStatus == noErr
    }

    private func addSynchronizable(_ items: [String: Any], adding: Bool) -> [String: Any] {
        guard synchronizable else { return items }
        var result = items
        result[Names.synchronizable] = adding ? true : kSecAttrSynchronizableAny
        return result
    }
}
