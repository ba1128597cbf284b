import ChatelaineModel
import Foundation

/// Sets the preferred identity for a name: a URL, a host, an e-mail address or another.
///
/// - Parameters:
///   - identity: an identity in a keychain; nil removes the preference.
///   - keyUsage: an array of `kSecAttrCanSign` and its like; nil for any use.
/// - Returns: `errSecItemNotFound` where the identity is in no keychain, or where there is no preference to remove.
@discardableResult
public func SecIdentitySetPreferred(_ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?) -> OSStatus {
    CallStatus.of("SecIdentitySetPreferred") { () throws(KeychainError) in
        try PreferenceCalls.set(identity, for: .text(name as String), value(keyUsage))
    }
}

/// Copies the preferred identity for a name; for a URL, a preference for a URL above it or for its host also counts.
///
/// - Parameter validIssuers: names in DER, of which one must be the issuer's; nil for any.
/// - Returns: nil where no identity is preferred.
@discardableResult
public func SecIdentityCopyPreferred(
    _ name: CFString, _ keyUsage: CFArray?, _ validIssuers: CFArray?
) -> SecIdentity? {
    SecTrustResult.of("SecIdentityCopyPreferred") { () throws(KeychainError) in
        try PreferenceCalls.identity(for: .text(name as String), value(keyUsage), issuers: value(validIssuers))
    }
}

/// Sets the preferred certificate for a name, as ``SecIdentitySetPreferred(_:_:_:)`` does for an identity.
@discardableResult
public func SecCertificateSetPreferred(
    _ certificate: SecCertificate?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
    CallStatus.of("SecCertificateSetPreferred") { () throws(KeychainError) in
        try PreferenceCalls.set(certificate, for: .text(name as String), value(keyUsage))
    }
}

/// Copies the preferred certificate for a name; nil where there is none.
@discardableResult
public func SecCertificateCopyPreferred(_ name: CFString, _ keyUsage: CFArray?) -> SecCertificate? {
    SecTrustResult.of("SecCertificateCopyPreferred") { () throws(KeychainError) in
        try PreferenceCalls.certificate(for: .text(name as String), value(keyUsage))
    }
}

private func value(_ array: CFArray?) -> QueryValue? { array.map { QueryDictionary.value($0, isSecret: false) } }
