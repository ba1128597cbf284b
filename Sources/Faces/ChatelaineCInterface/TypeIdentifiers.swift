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
