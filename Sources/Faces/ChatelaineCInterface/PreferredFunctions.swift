import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecIdentitySetPreferred` of `Security/SecIdentity.h`.
@_cdecl("SecIdentitySetPreferred")
public func identitySetPreferred(
    _ identity: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecIdentitySetPreferred") { () throws(KeychainError) in
        let identity: SecIdentity? = identity == nil ? nil : try ForeignObject.content(identity, .identity)
        try PreferenceCalls.set(identity, for: ForeignValue.meaning(of: name), value(keyUsage))
    }
}

/// `SecIdentityCopyPreferred` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCopyPreferred")
public func identityCopyPreferred(
    _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?, _ validIssuers: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecIdentityCopyPreferred") { () throws(KeychainError) in
        try ForeignObject.make(
            try PreferenceCalls.identity(
                for: ForeignValue.meaning(of: name), value(keyUsage), issuers: value(validIssuers)), .identity)
    }
}

/// `SecCertificateSetPreferred` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateSetPreferred")
public func certificateSetPreferred(
    _ certificate: UnsafeRawPointer?, _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> OSStatus {
    CallStatus.of("SecCertificateSetPreferred") { () throws(KeychainError) in
        let certificate: SecCertificate? =
            certificate == nil ? nil : try ForeignObject.content(certificate, .certificate)
        try PreferenceCalls.set(certificate, for: ForeignValue.meaning(of: name), value(keyUsage))
    }
}

/// `SecCertificateCopyPreferred` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyPreferred")
public func certificateCopyPreferred(
    _ name: UnsafeRawPointer?, _ keyUsage: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    ForeignTrust.answer("SecCertificateCopyPreferred") { () throws(KeychainError) in
        try ForeignObject.make(
            try PreferenceCalls.certificate(for: ForeignValue.meaning(of: name), value(keyUsage)), .certificate)
    }
}

/// `SecIdentitySetSystemIdentity` of `Security/SecIdentity.h`.
@_cdecl("SecIdentitySetSystemIdentity")
public func identitySetSystemIdentity(_ domain: UnsafeRawPointer?, _ identity: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecIdentitySetSystemIdentity") { () throws(KeychainError) in
        let identity: SecIdentity? = identity == nil ? nil : try ForeignObject.content(identity, .identity)
        try SystemIdentityCalls.set(identity, for: ForeignValue.meaning(of: domain))
    }
}

/// `SecIdentityCopySystemIdentity` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCopySystemIdentity")
public func identityCopySystemIdentity(
    _ domain: UnsafeRawPointer?, _ identity: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ actualDomain: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecIdentityCopySystemIdentity") { () throws(KeychainError) in
        let place = try ForeignObject.required(identity)
        let found = try SystemIdentityCalls.identity(for: ForeignValue.meaning(of: domain))
        let name = try actualDomain.map { _ throws(KeychainError) in try ForeignResult.make(.text(found.domain)) }
        place.pointee = try ForeignObject.make(found.identity, .identity)
        actualDomain?.pointee = name ?? nil
    }
}

private func value(_ array: UnsafeRawPointer?) -> QueryValue? { array.map { ForeignValue.meaning(of: $0) } }
