/// `SecKeychainItemGetTypeID` of `Security/SecKeychainItem.h`.
@_cdecl("SecKeychainItemGetTypeID")
public func keychainItemGetTypeID() -> UInt { BoxType.keychainItem.identifier }

/// `SecKeyGetTypeID` of `Security/SecKey.h`.
@_cdecl("SecKeyGetTypeID")
public func keyGetTypeID() -> UInt { BoxType.key.identifier }

/// `SecCertificateGetTypeID` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateGetTypeID")
public func certificateGetTypeID() -> UInt { BoxType.certificate.identifier }

/// `SecIdentityGetTypeID` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityGetTypeID")
public func identityGetTypeID() -> UInt { BoxType.identity.identifier }

/// `SecTrustGetTypeID` of `Security/SecTrust.h`.
@_cdecl("SecTrustGetTypeID")
public func trustGetTypeID() -> UInt { BoxType.trust.identifier }

/// `SecPolicyGetTypeID` of `Security/SecPolicy.h`.
@_cdecl("SecPolicyGetTypeID")
public func policyGetTypeID() -> UInt { BoxType.policy.identifier }
