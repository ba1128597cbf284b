import ChatelaineModel
import Foundation

/// A preference domain: whose keychain preferences a call reads or sets.
public enum SecPreferencesDomain: Int32, @unchecked Sendable {
    case user = 0
    /// The preferences of the machine's services.
    case system = 1
    /// The keychains behind every user's own search list.
    case common = 2
    /// The keychains that appear and disappear with a device.
    case dynamic = 3
}

/// Copies the search list: the user's own keychains, then those of the machine.
@discardableResult
public func SecKeychainCopySearchList(_ searchList: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    CallStatus.of("SecKeychainCopySearchList") { () throws(KeychainError) in
        searchList.pointee = NSArray(array: try KeychainPreferenceCalls.searchList(of: nil))
    }
}

/// Sets the search list, an ordered array of ``SecKeychain`` objects.
///
/// - Returns: `errSecParam` for other objects, `errSecDataTooLarge`.
@discardableResult
public func SecKeychainSetSearchList(_ searchList: CFArray) -> OSStatus {
    CallStatus.of("SecKeychainSetSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(of: nil, to: try KeychainPreferenceCalls.keychains(searchList))
    }
}

/// Copies a domain's own search list.
@discardableResult
public func SecKeychainCopyDomainSearchList(
    _ domain: SecPreferencesDomain, _ searchList: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecKeychainCopyDomainSearchList") { () throws(KeychainError) in
        let domain = try KeychainPreferenceCalls.domain(domain.rawValue)
        searchList.pointee = NSArray(array: try KeychainPreferenceCalls.searchList(of: domain))
    }
}

/// Sets a domain's own search list.
///
/// - Returns: `errSecInvalidPrefsDomain` for the dynamic domain, `errSecReadOnly` for the domains of the machine.
@discardableResult
public func SecKeychainSetDomainSearchList(_ domain: SecPreferencesDomain, _ searchList: CFArray) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(
            of: try KeychainPreferenceCalls.domain(domain.rawValue),
            to: try KeychainPreferenceCalls.keychains(searchList))
    }
}

/// Returns the default keychain, which calls use that name no keychain.
///
/// - Returns: `errSecNoDefaultKeychain` where none is set.
@discardableResult
public func SecKeychainCopyDefault(_ keychain: UnsafeMutablePointer<SecKeychain?>) -> OSStatus {
    CallStatus.of("SecKeychainCopyDefault") { () throws(KeychainError) in
        keychain.pointee = try KeychainPreferenceCalls.defaultKeychain(of: nil)
    }
}

/// Sets the default keychain; nil keeps the current one.
@discardableResult
public func SecKeychainSetDefault(_ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainSetDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(of: nil, to: keychain)
    }
}

/// Returns the default keychain of a domain.
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
/// - Returns: `errSecInvalidPrefsDomain` for the dynamic domain, `errSecReadOnly` for the domains of the machine.
@discardableResult
public func SecKeychainSetDomainDefault(_ domain: SecPreferencesDomain, _ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(
            of: try KeychainPreferenceCalls.domain(domain.rawValue), to: keychain)
    }
}

/// Sets the domain for calls of this process that name none.
@discardableResult
public func SecKeychainSetPreferenceDomain(_ domain: SecPreferencesDomain) -> OSStatus {
    CallStatus.of("SecKeychainSetPreferenceDomain") { () throws(KeychainError) in
        KeychainPreferenceCalls.domain = try KeychainPreferenceCalls.domain(domain.rawValue)
    }
}

/// Returns the domain for calls of this process that name none.
@discardableResult
public func SecKeychainGetPreferenceDomain(_ domain: UnsafeMutablePointer<SecPreferencesDomain>) -> OSStatus {
    domain.pointee = SecPreferencesDomain(rawValue: Int32(KeychainPreferenceCalls.domain.rawValue)) ?? .user
    return errSecSuccess
}
