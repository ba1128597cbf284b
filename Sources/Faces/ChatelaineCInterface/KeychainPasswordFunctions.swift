import ChatelaineModel
import Security

/// `SecKeychainAddGenericPassword` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainAddGenericPassword")
public func keychainAddGenericPassword(
    _ keychain: UnsafeRawPointer?, _ serviceLength: UInt32, _ service: UnsafePointer<CChar>?,
    _ accountLength: UInt32, _ account: UnsafePointer<CChar>?, _ length: UInt32, _ password: UnsafeRawPointer?,
    _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainAddGenericPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.generic(
            service: (serviceLength, service), account: (accountLength, account))
        try put(
            try KeychainPasswordCalls.add(terms, to: try KeychainObjects.content(keychain), length, password),
            at: item)
    }
}

/// `SecKeychainFindGenericPassword` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainFindGenericPassword")
public func keychainFindGenericPassword(
    _ keychains: UnsafeRawPointer?, _ serviceLength: UInt32, _ service: UnsafePointer<CChar>?,
    _ accountLength: UInt32, _ account: UnsafePointer<CChar>?, _ length: UnsafeMutablePointer<UInt32>?,
    _ password: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainFindGenericPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.generic(
            service: (serviceLength, service), account: (accountLength, account))
        try find(terms, keychains, length, password, item)
    }
}

/// `SecKeychainAddInternetPassword` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainAddInternetPassword")
public func keychainAddInternetPassword(
    _ keychain: UnsafeRawPointer?, _ serverLength: UInt32, _ server: UnsafePointer<CChar>?,
    _ domainLength: UInt32, _ domain: UnsafePointer<CChar>?, _ accountLength: UInt32,
    _ account: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16,
    _ protocolType: UInt32, _ authenticationType: UInt32, _ length: UInt32, _ password: UnsafeRawPointer?,
    _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainAddInternetPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.internet(
            server: (serverLength, server), domain: (domainLength, domain), account: (accountLength, account),
            path: (pathLength, path), port: port, protocol: protocolType, authentication: authenticationType)
        try put(
            try KeychainPasswordCalls.add(terms, to: try KeychainObjects.content(keychain), length, password),
            at: item)
    }
}

/// `SecKeychainFindInternetPassword` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainFindInternetPassword")
public func keychainFindInternetPassword(
    _ keychains: UnsafeRawPointer?, _ serverLength: UInt32, _ server: UnsafePointer<CChar>?,
    _ domainLength: UInt32, _ domain: UnsafePointer<CChar>?, _ accountLength: UInt32,
    _ account: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?, _ port: UInt16,
    _ protocolType: UInt32, _ authenticationType: UInt32, _ length: UnsafeMutablePointer<UInt32>?,
    _ password: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainFindInternetPassword") { () throws(KeychainError) in
        let terms = try PasswordTerms.internet(
            server: (serverLength, server), domain: (domainLength, domain), account: (accountLength, account),
            path: (pathLength, path), port: port, protocol: protocolType, authentication: authenticationType)
        try find(terms, keychains, length, password, item)
    }
}

/// Stores the item at the caller's pointer, which may be null.
private func put(
    _ item: SecKeychainItem, at place: UnsafeMutablePointer<UnsafeRawPointer?>?
) throws(KeychainError) {
    if let place { place.pointee = try ForeignObject.make(item, .keychainItem) }
}

private func find(
    _ terms: PasswordTerms, _ keychains: UnsafeRawPointer?, _ length: UnsafeMutablePointer<UInt32>?,
    _ password: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ item: UnsafeMutablePointer<UnsafeRawPointer?>?
) throws(KeychainError) {
    let found = try KeychainPasswordCalls.find(
        terms, in: try KeychainObjects.named(keychains), length, password)
    do throws(KeychainError) { try put(found, at: item) } catch {
        ItemContentCalls.free(nil, password?.pointee)
        password?.pointee = nil
        length?.pointee = 0
        throw error
    }
}
