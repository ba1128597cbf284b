import ChatelaineModel
import CoreFoundation

/// Stores a generic password in a file keychain.
///
/// Names are bytes, in UTF-8 where they are text; they need no terminating zero.
///
/// - Parameters:
///   - keychain: nil for the default keychain.
///   - itemRef: receives the item; may be nil.
/// - Returns: `errSecDuplicateItem`, `errSecNoDefaultKeychain`, `errSecNoSuchKeychain`, `errSecAuthFailed` and others.
@discardableResult
public func SecKeychainAddGenericPassword(
    _ keychain: SecKeychain?, _ serviceNameLength: UInt32, _ serviceName: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?, _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    CallStatus.of("SecKeychainAddGenericPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.generic(
            service: (serviceNameLength, serviceName), account: (accountNameLength, accountName))
        let item = try KeychainPasswordCalls.add(terms, to: keychain, passwordLength, passwordData)
        itemRef?.pointee = item
    }
}

/// Finds the first generic password of a service and account; a nil or empty name matches any.
///
/// - Parameters:
///   - keychainOrArray: a keychain, an array of keychains, or nil for the search list.
///   - passwordData: receives the password, which ``SecKeychainItemFreeContent(_:_:)`` frees; with nil, no person is
///     asked.
/// - Returns: `errSecItemNotFound`, `errSecAuthFailed`, `errSecUserCanceled` and others.
@discardableResult
public func SecKeychainFindGenericPassword(
    _ keychainOrArray: CFTypeRef?, _ serviceNameLength: UInt32, _ serviceName: UnsafePointer<CChar>?,
    _ accountNameLength: UInt32, _ accountName: UnsafePointer<CChar>?,
    _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    CallStatus.of("SecKeychainFindGenericPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.generic(
            service: (serviceNameLength, serviceName), account: (accountNameLength, accountName))
        let item = try KeychainPasswordCalls.find(
            terms, in: try KeychainPasswordCalls.keychains(keychainOrArray), passwordLength, passwordData)
        itemRef?.pointee = item
    }
}

/// Stores an internet password in a file keychain, as ``SecKeychainAddGenericPassword(_:_:_:_:_:_:_:_:)`` does.
@discardableResult
public func SecKeychainAddInternetPassword(
    _ keychain: SecKeychain?, _ serverNameLength: UInt32, _ serverName: UnsafePointer<CChar>?,
    _ securityDomainLength: UInt32, _ securityDomain: UnsafePointer<CChar>?, _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16,
    _ protocol: SecProtocolType, _ authenticationType: SecAuthenticationType, _ passwordLength: UInt32,
    _ passwordData: UnsafeRawPointer, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    CallStatus.of("SecKeychainAddInternetPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.internet(
            server: (serverNameLength, serverName), domain: (securityDomainLength, securityDomain),
            account: (accountNameLength, accountName), path: (pathLength, path), port: port,
            protocol: `protocol`.rawValue, authentication: authenticationType.rawValue)
        let item = try KeychainPasswordCalls.add(terms, to: keychain, passwordLength, passwordData)
        itemRef?.pointee = item
    }
}

/// Finds the first internet password with these attributes, as ``SecKeychainFindGenericPassword(_:_:_:_:_:_:_:_:)``
/// does.
///
/// A port of 0, and `any` for protocol and authentication type, match all.
@discardableResult
public func SecKeychainFindInternetPassword(
    _ keychainOrArray: CFTypeRef?, _ serverNameLength: UInt32, _ serverName: UnsafePointer<CChar>?,
    _ securityDomainLength: UInt32, _ securityDomain: UnsafePointer<CChar>?, _ accountNameLength: UInt32,
    _ accountName: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16,
    _ protocol: SecProtocolType, _ authenticationType: SecAuthenticationType,
    _ passwordLength: UnsafeMutablePointer<UInt32>?,
    _ passwordData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>?
) -> OSStatus {
    CallStatus.of("SecKeychainFindInternetPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.internet(
            server: (serverNameLength, serverName), domain: (securityDomainLength, securityDomain),
            account: (accountNameLength, accountName), path: (pathLength, path), port: port,
            protocol: `protocol`.rawValue, authentication: authenticationType.rawValue)
        let item = try KeychainPasswordCalls.find(
            terms, in: try KeychainPasswordCalls.keychains(keychainOrArray), passwordLength, passwordData)
        itemRef?.pointee = item
    }
}
