import ChatelaineModel
import Foundation

/// Says which identity of the system keychain services of a domain use; root alone may.
///
/// - Parameters:
///   - domain: ``kSecIdentityDomainDefault`` for all that have none of their own, ``kSecIdentityDomainKerberosKDC`` or another.
///   - idRef: nil has the domain have none of its own any more.
/// - Returns: `errSecAuthFailed` for whoever is not root, `errSecItemNotFound` where the identity is not in the system keychain, or none was
///   set that could be removed.
@discardableResult
public func SecIdentitySetSystemIdentity(_ domain: CFString, _ idRef: SecIdentity?) -> OSStatus {
    CallStatus.of("SecIdentitySetSystemIdentity") { () throws(KeychainError) in
        try SystemIdentityCalls.set(idRef, for: .text(domain as String))
    }
}

/// Copies the identity that services of a domain use or, where it has none of its own, that of all.
///
/// Everybody may ask. The private key is root's to use, as all secrets of the system keychain.
///
/// - Parameter actualDomain: whose identity it is.
/// - Returns: `errSecNotAvailable` where there is none.
@discardableResult
public func SecIdentityCopySystemIdentity(
    _ domain: CFString, _ idRef: UnsafeMutablePointer<SecIdentity?>,
    _ actualDomain: UnsafeMutablePointer<CFString?>?
) -> OSStatus {
    CallStatus.of("SecIdentityCopySystemIdentity") { () throws(KeychainError) in
        let found = try SystemIdentityCalls.identity(for: .text(domain as String))
        idRef.pointee = found.identity
        actualDomain?.pointee = NSString(string: found.domain)
    }
}
