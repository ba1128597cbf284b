import ChatelaineModel
import Foundation

/// A certificate together with its private key.
///
/// An identity never changes, and any thread may use it. Two identities are equal when their certificates and keys
/// are.
public final class SecIdentity: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 259

    package let certificate: SecCertificate
    package let privateKey: SecKey

    /// Combines a certificate and its key; the caller has checked that they belong together.
    package init(certificate: SecCertificate, privateKey: SecKey) {
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Makes an identity that a search found.
    package convenience init(_ certificate: [UInt8], _ key: KeyReference, at item: KeychainItemHandle?) {
        self.init(
            certificate: SecCertificate(der: certificate, at: item?.naming(.certificate)), privateKey: SecKey(key))
    }

    package var queryValue: QueryValue {
        // An identity whose certificate and key were found in different places has no item.
        let isFound = certificate.keychainItem?.reference.keychain == privateKey.keychainItem?.reference.keychain
        let item = isFound ? certificate.keychainItem?.naming(.identity) : nil
        return .identity(certificate: certificate.der, privateKey, at: item)
    }

    public override var hash: Int { certificate.hash }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return certificate == other.certificate && privateKey == other.privateKey
    }

    public override var description: String { "<SecIdentity: \(certificate), \(privateKey)>" }
}

/// The type identifier of ``SecIdentity`` objects.
public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.cfTypeID }
