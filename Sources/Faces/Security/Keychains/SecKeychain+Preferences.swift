import ChatelaineModel
import Foundation

/// Whose keychain preferences are meant.
public enum SecPreferencesDomain: Int32, @unchecked Sendable {
    case user = 0
    /// What services of the machine go by.
    case system = 1
    /// What follows every user's own search list.
    case common = 2
    /// Keychains that come and go with a device.
    case dynamic = 3
}

/// Copies the keychains that are searched, in order: the user's own, and those of the machine behind them.
@discardableResult
public func SecKeychainCopySearchList(_ searchList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    CallStatus.of("SecKeychainCopySearchList") { () throws(KeychainError) in
        searchList.pointee = NSArray(array: try KeychainPreferenceCalls.searchList(of: nil))
    }
}

/// Sets the keychains that are searched, ``SecKeychain`` objects in order.
///
/// - Returns: `errSecParam` for other objects, `errSecDataTooLarge`.
@discardableResult
public func SecKeychainSetSearchList(_ searchList: CFArray) -> OSStatus {
    CallStatus.of("SecKeychainSetSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(of: nil, to: try KeychainPreferenceCalls.keychains(searchList))
    }
}

/// Copies the list that a domain has itself.
@discardableResult
public func SecKeychainCopyDomainSearchList(
    _ domain: SecPreferencesDomain, _ searchList: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecKeychainCopyDomainSearchList") { () throws(KeychainError) in
        let domain = try KeychainPreferenceCalls.domain(domain.rawValue)
        searchList.pointee = NSArray(array: try KeychainPreferenceCalls.searchList(of: domain))
    }
}

/// Sets the list that a domain has itself.
///
/// - Returns: `errSecInvalidPrefsDomain` for the dynamic domain, `errSecReadOnly` for those of the machine.
@discardableResult
public func SecKeychainSetDomainSearchList(_ domain: SecPreferencesDomain, _ searchList: CFArray) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(
            of: try KeychainPreferenceCalls.domain(domain.rawValue),
            to: try KeychainPreferenceCalls.keychains(searchList))
    }
}

/// Gives the default keychain, which is meant where a call names none.
///
/// - Returns: `errSecNoDefaultKeychain` where none is set.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    CallStatus.of("SecKeychainCopyDefault") { () throws(KeychainError) in
        keychain.pointee = try KeychainPreferenceCalls.defaultKeychain(of: nil)
    }
}

/// Sets the default keychain; nil for what it is already.
@discardableResult
public func SecKeychainSetDefault(_ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainSetDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(of: nil, to: keychain)
    }
}

/// Gives the default keychain of a domain.
///
/// - Returns: `errSecNoDefaultKeychain`, `errSecInvalidPrefsDomain` for the dynamic domain.
@discardableResult
public func SecKeychainCopyDomainDefault(
    _ domain: SecPreferencesDomain, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    CallStatus.of("SecKeychainCopyDomainDefault") { () throws(KeychainError) in
        keychain.pointee = try KeychainPreferenceCalls.defaultKeychain(
            of: try KeychainPreferenceCalls.domain(domain.rawValue))
    }
}

/// Sets the default keychain of a domain.
///
/// - Returns: `errSecInvalidPrefsDomain` for the dynamic domain, `errSecReadOnly` for those of the machine.
@discardableResult
public func SecKeychainSetDomainDefault(_ domain: SecPreferencesDomain, _ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(
            of: try KeychainPreferenceCalls.domain(domain.rawValue), to: keychain)
    }
}

/// Says which domain calls of this process mean that name none.
@discardableResult
public func SecKeychainSetPreferenceDomain(_ domain: SecPreferencesDomain) -> OSStatus {
    CallStatus.of("SecKeychainSetPreferenceDomain") { () throws(KeychainError) in
        KeychainPreferenceCalls.domain = try KeychainPreferenceCalls.domain(domain.rawValue)
    }
}

/// Tells which domain calls of this process mean that name none.
@discardableResult
public func SecKeychainGetPreferenceDomain(_ domain: UnsafeMutablePointer<SecPreferencesDomain>) -> OSStatus {
    domain.pointee = SecPreferencesDomain(rawValue: Int32(KeychainPreferenceCalls.domain.rawValue)) ?? .user
    return errSecSuccess
}
