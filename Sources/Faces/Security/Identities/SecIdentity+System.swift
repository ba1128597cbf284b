import ChatelaineModel
import Foundation

/// Sets the identity of the system keychain that services of a domain use; only root may.
///
/// - Parameters:
///   - domain: ``kSecIdentityDomainDefault`` for all domains without an identity of their own,
///     ``kSecIdentityDomainKerberosKDC`` or another.
///   - idRef: the identity; nil removes the domain's own identity.
/// - Returns: `errSecAuthFailed` for callers other than root. `errSecItemNotFound` where the identity is not in the
///   system keychain, or where there is none to remove.
@discardableResult
public func SecIdentitySetSystemIdentity(_ domain: CFString, _ idRef: SecIdentity?) -> OSStatus {
    CallStatus.of("SecIdentitySetSystemIdentity") { () throws(KeychainError) in
        try SystemIdentityCalls.set(idRef, for: .text(domain as String))
    }
}

/// Copies the identity of a domain, or the default identity where the domain has none of its own.
///
/// Any caller may ask. Only root can use the private key, as with all secrets of the system keychain.
///
/// - Parameter actualDomain: receives the domain of the returned identity.
/// - Returns: `errSecNotAvailable` where there is no identity.
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
