import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes an identity from a certificate and its private key, without storing or moving them.
///
/// - Parameter allocator: not used.
/// - Returns: nil where the key is public, or does not belong to the certificate.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
    do throws(KeychainError) {
        return try IdentityCalls.make(certificate, privateKey)
    } catch {
        FailureReport.write("SecIdentityCreate", error)
        return nil
    }
}

/// Finds the private key of a certificate; the certificate need not be in a keychain.
///
/// - Parameter keychainOrArray: a file keychain, an array of keychains, or nil for the data protection keychain and
///   then the search list.
/// - Returns: `errSecItemNotFound` where the caller has no such key.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?, _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    CallStatus.of("SecIdentityCreateWithCertificate") { () throws(KeychainError) in
        identityRef.pointee = try IdentityCalls.find(
            certificateRef, in: try KeychainPasswordCalls.keychains(keychainOrArray))
    }
}

/// Copies the certificate of an identity.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// Copies the private key of an identity.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    privateKeyRef.pointee = identityRef.privateKey
    return errSecSuccess
}
