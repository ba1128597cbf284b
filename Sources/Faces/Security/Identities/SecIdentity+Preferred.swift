import ChatelaineModel
import Foundation

/// Prefers an identity of a keychain for a name: a URL, a host, an e-mail address or another.
///
/// - Parameters:
///   - identity: nil has none be preferred any more.
///   - keyUsage: an array of `kSecAttrCanSign` and its like; nil for any use.
/// - Returns: `errSecItemNotFound` where the identity is in no keychain, or none was preferred that could be removed.
@discardableResult
public func SecIdentitySetPreferred(_ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?) -> OSStatus {
    CallStatus.of("SecIdentitySetPreferred") { () throws(KeychainError) in
        try PreferenceCalls.set(identity, for: .text(name as String), value(keyUsage))
    }
}

/// Copies the identity that is preferred for a name; of a URL also for those above it and for its host.
///
/// - Parameter validIssuers: names in DER, of which one has to be that of its issuer; nil for any.
/// - Returns: nil where there is none.
public func SecIdentityCopyPreferred(
    _ name: CFString, _ keyUsage: CFArray?, _ validIssuers: CFArray?
) -> SecIdentity? {
    SecTrustResult.of("SecIdentityCopyPreferred") { () throws(KeychainError) in
        try PreferenceCalls.identity(for: .text(name as String), value(keyUsage), issuers: value(validIssuers))
    }
}

/// Prefers a certificate of a keychain for a name, as ``SecIdentitySetPreferred(_:_:_:)`` does an identity.
@discardableResult
public func SecCertificateSetPreferred(
    _ certificate: SecCertificate?, _ name: CFString, _ keyUsage: CFArray?
) -> OSStatus {
    CallStatus.of("SecCertificateSetPreferred") { () throws(KeychainError) in
        try PreferenceCalls.set(certificate, for: .text(name as String), value(keyUsage))
    }
}

/// Copies the certificate that is preferred for a name; nil where there is none.
public func SecCertificateCopyPreferred(_ name: CFString, _ keyUsage: CFArray?) -> SecCertificate? {
    SecTrustResult.of("SecCertificateCopyPreferred") { () throws(KeychainError) in
        try PreferenceCalls.certificate(for: .text(name as String), value(keyUsage))
    }
}

private func value(_ array: CFArray?) -> QueryValue? { array.map { QueryDictionary.value($0, isSecret: false) } }
