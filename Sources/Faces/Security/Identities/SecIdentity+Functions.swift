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
