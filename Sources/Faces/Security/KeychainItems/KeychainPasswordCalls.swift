import ChatelaineIPC
import ChatelaineModel
import CoreFoundation

/// The attributes by which the older calls name a password.
///
/// A null, empty or 0 argument is left out: a new item does not get the attribute, and a search matches any value.
package struct PasswordTerms {
    let itemClass: ItemClass
    private(set) var attributes = AttributeSet()

    /// A name in the program's memory, with its length.
    package typealias Name = (length: UInt32, bytes: UnsafePointer<CChar>?)

    package static func generic(service: Name, account: Name) throws(KeychainError) -> PasswordTerms {
        var terms = PasswordTerms(.genericPassword)
        try terms.set(.service, service)
        try terms.set(.account, account)
        return terms
    }

    package static func internet(
        server: Name, domain: Name, account: Name, path: Name, port: UInt16, protocol code: UInt32,
        authentication: UInt32
    ) throws(KeychainError) -> PasswordTerms {
        var terms = PasswordTerms(.internetPassword)
        try terms.set(.server, server)
        try terms.set(.securityDomain, domain)
        try terms.set(.account, account)
        try terms.set(.path, path)
        if port != 0 { terms.attributes[.port] = .number(Int64(port)) }
        if code != 0 { terms.attributes[.protocolType] = AttributeTag.code(Int64(code)) }
        if authentication != 0 {
            // The bytes of the number are the text that SecItem uses for the type.
            terms.attributes[.authenticationType] = withUnsafeBytes(of: authentication) { AttributeTag.blob($0) }
        }
        return terms
    }

    private init(_ itemClass: ItemClass) { self.itemClass = itemClass }

    private mutating func set(_ key: AttributeKey, _ name: Name) throws(KeychainError) {
        guard let bytes = name.bytes, name.length > 0 else { return }
        guard Int(name.length) <= Limits.attributeBytes else {
            throw KeychainError(.dataTooLarge, "attributes take \(Limits.attributeBytes) bytes at most")
        }
        // SAFETY: the caller says how many bytes there are.
        attributes[key] = AttributeTag.blob(UnsafeRawBufferPointer(start: bytes, count: Int(name.length)))
    }
}

/// The `SecKeychain` calls that add and find one password, for Swift and for C alike.
package enum KeychainPasswordCalls {
    /// - Parameter keychain: nil for the default keychain.
    package static func add(
        _ terms: PasswordTerms, to keychain: SecKeychain?, _ length: UInt32, _ data: UnsafeRawPointer?
    ) throws(KeychainError) -> SecKeychainItem {
        var item = NewItem(itemClass: terms.itemClass)
        item.attributes = terms.attributes
        item.secret = try KeychainItemCalls.secret(data, count: length)
        return try KeychainItemCalls.add(item, to: keychain)
    }

    /// Finds the first password with these terms.
    ///
    /// - Parameters:
    ///   - keychains: nil for the search list.
    ///   - length: receives the length of the data, where `data` is not nil.
    ///   - data: receives the password; with nil, the password is not read and no person is asked.
    package static func find(
        _ terms: PasswordTerms, in keychains: [SecKeychain]?, _ length: UnsafeMutablePointer<UInt32>?,
        _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) throws(KeychainError) -> SecKeychainItem {
        try KeychainItemCalls.requireLength(length, for: data)
        var query = ItemQuery(itemClass: terms.itemClass)
        query.attributes = terms.attributes
        query.authenticationUI = KeychainItemCalls.authenticationUI
        if data != nil { query.returns = .data }
        let scope = try scope(of: keychains)
        guard let found = try KeychainItemCalls.client.find(query, in: scope).first else { throw nothing }
        try KeychainItemCalls.handOut(found.item.secret, length, data)
        return SecKeychainItem(found.handle)
    }

    /// - Parameter keychains: nil for the search list.
    static func scope(of keychains: [SecKeychain]?) throws(KeychainError) -> KeychainScope {
        guard let keychains else { return KeychainScope() }
        // A scope without keychains means the search list.
        guard !keychains.isEmpty else { throw nothing }
        var paths: [String] = []
        for keychain in keychains where !paths.contains(keychain.path.text) { paths.append(keychain.path.text) }
        return KeychainScope(paths: paths)
    }

    /// Reads a keychain, or an array of keychains; nil means the search list.
    static func keychains(_ keychainOrArray: CFTypeRef?) throws(KeychainError) -> [SecKeychain]? {
        switch keychainOrArray {
        case nil: return nil
        case let keychain as SecKeychain: return [keychain]
        case let list as CFArray: return try KeychainPreferenceCalls.keychains(list)
        default: throw KeychainError(.param, "what is to be searched is neither a keychain nor an array of such")
        }
    }

    private static var nothing: KeychainError {
        KeychainError(.itemNotFound, "no item in the keychains that were searched has this name")
    }
}
