import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecIdentityCreate` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCreate")
public func identityCreate(
    _ allocator: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    do throws(KeychainError) {
        let made = try IdentityCalls.make(
            try ForeignObject.content(certificate, .certificate), try ForeignObject.content(privateKey, .key))
        return try ForeignObject.make(made, .identity)
    } catch {
        FailureReport.write("SecIdentityCreate", error)
        return nil
    }
}

/// `SecIdentityCreateWithCertificate` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCreateWithCertificate")
public func identityCreateWithCertificate(
    _ keychainOrArray: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?,
    _ identity: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecIdentityCreateWithCertificate") { () throws(KeychainError) in
        let place = try ForeignObject.required(identity)
        let found = try IdentityCalls.find(
            try ForeignObject.content(certificate, .certificate), in: try KeychainObjects.named(keychainOrArray))
        place.pointee = try ForeignObject.make(found, .identity)
    }
}

/// `SecIdentityCopyCertificate` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCopyCertificate")
public func identityCopyCertificate(
    _ identity: UnsafeRawPointer?, _ certificate: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecIdentityCopyCertificate") { () throws(KeychainError) in
        let place = try ForeignObject.required(certificate)
        let identity: SecIdentity = try ForeignObject.content(identity, .identity)
        place.pointee = try ForeignObject.make(identity.certificate, .certificate)
    }
}

/// `SecIdentityCopyPrivateKey` of `Security/SecIdentity.h`.
@_cdecl("SecIdentityCopyPrivateKey")
public func identityCopyPrivateKey(
    _ identity: UnsafeRawPointer?, _ privateKey: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecIdentityCopyPrivateKey") { () throws(KeychainError) in
        let place = try ForeignObject.required(privateKey)
        let identity: SecIdentity = try ForeignObject.content(identity, .identity)
        place.pointee = try ForeignObject.make(identity.privateKey, .key)
    }
}
