import ChatelaineModel
import Security

/// `SecKeychainCopySearchList` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopySearchList")
public func keychainCopySearchList(_ list: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus {
    CallStatus.of("SecKeychainCopySearchList") { () throws(KeychainError) in
        let place = try ForeignObject.required(list)
        place.pointee = try KeychainObjects.make(try KeychainPreferenceCalls.searchList(of: nil))
    }
}

/// `SecKeychainSetSearchList` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetSearchList")
public func keychainSetSearchList(_ list: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(of: nil, to: try KeychainObjects.contents(list))
    }
}

/// `SecKeychainCopyDomainSearchList` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopyDomainSearchList")
public func keychainCopyDomainSearchList(
    _ domain: Int32, _ list: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainCopyDomainSearchList") { () throws(KeychainError) in
        let place = try ForeignObject.required(list)
        let domain = try KeychainPreferenceCalls.domain(domain)
        place.pointee = try KeychainObjects.make(try KeychainPreferenceCalls.searchList(of: domain))
    }
}

/// `SecKeychainSetDomainSearchList` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetDomainSearchList")
public func keychainSetDomainSearchList(_ domain: Int32, _ list: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainSearchList") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setSearchList(
            of: try KeychainPreferenceCalls.domain(domain), to: try KeychainObjects.contents(list))
    }
}

/// `SecKeychainCopyDefault` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopyDefault")
public func keychainCopyDefault(_ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus {
    CallStatus.of("SecKeychainCopyDefault") { () throws(KeychainError) in try copyDefault(of: nil, keychain) }
}

/// `SecKeychainSetDefault` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetDefault")
public func keychainSetDefault(_ keychain: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(of: nil, to: try KeychainObjects.content(keychain))
    }
}

/// `SecKeychainCopyDomainDefault` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainCopyDomainDefault")
public func keychainCopyDomainDefault(
    _ domain: Int32, _ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainCopyDomainDefault") { () throws(KeychainError) in
        try copyDefault(of: try KeychainPreferenceCalls.domain(domain), keychain)
    }
}

/// `SecKeychainSetDomainDefault` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetDomainDefault")
public func keychainSetDomainDefault(_ domain: Int32, _ keychain: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecKeychainSetDomainDefault") { () throws(KeychainError) in
        try KeychainPreferenceCalls.setDefaultKeychain(
            of: try KeychainPreferenceCalls.domain(domain), to: try KeychainObjects.content(keychain))
    }
}

/// `SecKeychainSetPreferenceDomain` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainSetPreferenceDomain")
public func keychainSetPreferenceDomain(_ domain: Int32) -> OSStatus {
    CallStatus.of("SecKeychainSetPreferenceDomain") { () throws(KeychainError) in
        KeychainPreferenceCalls.domain = try KeychainPreferenceCalls.domain(domain)
    }
}

/// `SecKeychainGetPreferenceDomain` of `Security/SecKeychain.h`.
@_cdecl("SecKeychainGetPreferenceDomain")
public func keychainGetPreferenceDomain(_ domain: UnsafeMutablePointer<Int32>?) -> OSStatus {
    CallStatus.of("SecKeychainGetPreferenceDomain") { () throws(KeychainError) in
        try ForeignObject.required(domain).pointee = Int32(KeychainPreferenceCalls.domain.rawValue)
    }
}

private func copyDefault(
    of domain: PreferenceDomain?, _ keychain: UnsafeMutablePointer<UnsafeRawPointer?>?
) throws(KeychainError) {
    let place = try ForeignObject.required(keychain)
    place.pointee = try KeychainPreferenceCalls.defaultKeychain(of: domain).map {
        (keychain) throws(KeychainError) in try KeychainObjects.make(keychain)
    }
}
