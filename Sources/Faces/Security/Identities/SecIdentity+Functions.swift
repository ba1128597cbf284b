import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes an identity of a certificate and its private key, which stay where they are.
///
/// - Parameter allocator: not used.
/// - Returns: nil where the key is not that of the certificate, or is public.
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
/// - Parameter keychainOrArray: a file keychain, an array of such, or nil for the data protection keychain and then the search list.
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

/// The certificate of an identity.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// The private key of an identity.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    privateKeyRef.pointee = identityRef.privateKey
    return errSecSuccess
}
