import Foundation
import Security

public enum ProtocolType: CaseIterable {
    case ftp, http, https, smb, ssh, imaps

    fileprivate init?(_ value: Any?) {
        guard let text = value as? String else { return nil }
        guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
        self = found
    }

    public var rawValue: String {
        switch self {
        case .ftp: return String(kSecAttrProtocolFTP)
        case .http: return String(kSecAttrProtocolHTTP)
        case .https: return String(kSecAttrProtocolHTTPS)
        case .smb: return String(kSecAttrProtocolSMB)
        case .ssh: return String(kSecAttrProtocolSSH)
        case .imaps: return String(kSecAttrProtocolIMAPS)
        }
    }
}

public enum ItemClass {
    case genericPassword(service: String)
    case internetPassword(server: URL, protocol: ProtocolType)
}

/// The facts about one item in a listing or a look-up.
public struct Attributes {
    private let attributes: [String: Any]

    fileprivate init(attributes: [String: Any]) { self.attributes = attributes }

    public var account: String? { attributes[String(kSecAttrAccount)] as? String }
    public var service: String? { attributes[String(kSecAttrService)] as? String }
    public var server: String? { attributes[String(kSecAttrServer)] as? String }
    public var port: Int? { attributes[String(kSecAttrPort)] as? Int }
    public var protocolType: ProtocolType? { ProtocolType(attributes[String(kSecAttrProtocol)]) }
    public var label: String? { attributes[String(kSecAttrLabel)] as? String }
    public var comment: String? { attributes[String(kSecAttrComment)] as? String }
    public var accessGroup: String? { attributes[String(kSecAttrAccessGroup)] as? String }
    public var accessible: String? { attributes[String(kSecAttrAccessible)] as? String }
    public var synchronizable: Bool? { attributes[String(kSecAttrSynchronizable)] as? Bool }
    public var creationDate: Date? { attributes[String(kSecAttrCreationDate)] as? Date }
    public var modificationDate: Date? { attributes[String(kSecAttrModificationDate)] as? Date }
    public var data: Data? { attributes[String(kSecValueData)] as? Data }
    public var persistentRef: Data? { attributes[String(kSecValuePersistentRef)] as? Data }

    public subscript(key: String) -> Any? { attributes[key] }
}

/// A store whose queries are `[String: Any]` with `String(constant)`: a value type whose setters are copies.
public final class Keychain {
    private let itemClass: ItemClass
    private var options = Options()

    private struct Options {
        var accessibility: Accessibility = .afterFirstUnlock
        var synchronizable = false
        var label: String?
        var comment: String?
    }

    public init(_ itemClass: ItemClass) { self.itemClass = itemClass }

    public convenience init(service: String) { self.init(.genericPassword(service: service)) }

    public convenience init(server: String, protocolType: ProtocolType) {
        self.init(.internetPassword(server: URL(string: server)!, protocol: protocolType))
    }

    private func with(_ change: (inout Options) -> Void) -> Keychain {
        let copy = Keychain(itemClass)
        copy.options = options
        change(&copy.options)
        return copy
    }

    public func accessibility(_ accessibility: Accessibility) -> Keychain { with { $0.accessibility = accessibility } }
    public func synchronizable(_ synchronizable: Bool) -> Keychain { with { $0.synchronizable = synchronizable } }
    public func label(_ label: String) -> Keychain { with { $0.label = label } }
    public func comment(_ comment: String) -> Keychain { with { $0.comment = comment } }

    public subscript(key: String) -> String? {
        get { (try? getData(key)).flatMap { $0 }.flatMap { String(data: $0, encoding: .utf8) } }
        set {
            if let value = newValue {
                try? set(value, key: key)
            } else {
                try? remove(key)
            }
        }
    }

    public func set(_ value: String, key: String) throws {
        guard let data = value.data(using: .utf8, allowLossyConversion: false) else {
            throw KeychainError.unexpectedData
        }
        try set(data, key: key)
    }

    public func set(_ data: Data, key: String) throws {
        var query = self.query
        query[String(kSecAttrAccount)] = key
        var status = SecItemCopyMatching(query as CFDictionary, nil)
        switch status {
        case errSecSuccess:
            query[String(kSecAttrSynchronizable)] = kSecAttrSynchronizableAny
            status = SecItemUpdate(query as CFDictionary, attributes(key: nil, data: data) as CFDictionary)
        case errSecItemNotFound:
            var attributes = self.attributes(key: key, data: data)
            for (name, value) in self.query where name != String(kSecAttrSynchronizable) { attributes[name] = value }
            status = SecItemAdd(attributes as CFDictionary, nil)
        default:
            break
        }
        if status != errSecSuccess { throw Status(status: status) }
    }

    public func getData(_ key: String) throws -> Data? {
        var query = self.query
        query[String(kSecMatchLimit)] = kSecMatchLimitOne
        query[String(kSecReturnData)] = kCFBooleanTrue
        query[String(kSecAttrAccount)] = key

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        switch status {
        case errSecSuccess:
            guard let data = result as? Data else { throw Status.unexpectedError }
            return data
        case errSecItemNotFound:
            return nil
        default:
            throw Status(status: status)
        }
    }

    public func get<T>(_ key: String, handler: (Attributes?) -> T) throws -> T {
        var query = self.query
        query[String(kSecMatchLimit)] = kSecMatchLimitOne
        query[String(kSecReturnData)] = kCFBooleanTrue
        query[String(kSecReturnAttributes)] = kCFBooleanTrue
        query[String(kSecReturnRef)] = kCFBooleanTrue
        query[String(kSecReturnPersistentRef)] = kCFBooleanTrue
        query[String(kSecAttrAccount)] = key

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        switch status {
        case errSecSuccess:
            guard let attributes = result as? [String: Any] else { throw Status.unexpectedError }
            return handler(Attributes(attributes: attributes))
        case errSecItemNotFound:
            return handler(nil)
        default:
            throw Status(status: status)
        }
    }

    public func remove(_ key: String) throws {
        var query = self.query
        query[String(kSecAttrAccount)] = key
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecSuccess && status != errSecItemNotFound { throw Status(status: status) }
    }

    public func removeAll() throws {
        var query = self.query
        #if os(macOS)
            query[String(kSecMatchLimit)] = kSecMatchLimitAll
        #endif
        query[String(kSecAttrSynchronizable)] = kSecAttrSynchronizableAny
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecSuccess && status != errSecItemNotFound { throw Status(status: status) }
    }

    public func allItems() -> [Attributes] {
        var query = self.query
        query[String(kSecMatchLimit)] = kSecMatchLimitAll
        query[String(kSecReturnAttributes)] = kCFBooleanTrue
        query[String(kSecReturnData)] = kCFBooleanTrue

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess, let items = result as? [[String: Any]] else { return [] }
        return items.map(Attributes.init(attributes:))
    }

    public func allKeys() -> [String] { allItems().compactMap(\.account).sorted(by: accountsAreOrdered) }

    private var query: [String: Any] {
        var query = [String: Any]()
        query[String(kSecAttrSynchronizable)] = kSecAttrSynchronizableAny
        switch itemClass {
        case .genericPassword(let service):
            query[String(kSecClass)] = String(kSecClassGenericPassword)
            query[String(kSecAttrService)] = service
        case .internetPassword(let server, let protocolType):
            query[String(kSecClass)] = String(kSecClassInternetPassword)
            query[String(kSecAttrServer)] = server.host
            query[String(kSecAttrPort)] = server.port
            query[String(kSecAttrProtocol)] = protocolType.rawValue
        }
        return query
    }

    private func attributes(key: String?, data: Data) -> [String: Any] {
        var attributes: [String: Any] = [String(kSecValueData): data]
        if let key = key { attributes[String(kSecAttrAccount)] = key }
        if let label = options.label { attributes[String(kSecAttrLabel)] = label }
        if let comment = options.comment { attributes[String(kSecAttrComment)] = comment }
        attributes[String(kSecAttrAccessible)] = options.accessibility.rawValue
        attributes[String(kSecAttrSynchronizable)] = options.synchronizable ? kCFBooleanTrue : kCFBooleanFalse
        return attributes
    }
}
