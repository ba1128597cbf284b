import ChatelaineModel
import Foundation

/// A certificate together with its private key.
///
/// It never changes, and any thread may use it. Two are equal when certificate and key are.
public final class SecIdentity: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 259

    package let certificate: SecCertificate
    package let privateKey: SecKey

    /// Of two that belong together, which whoever makes one has seen to.
    package init(certificate: SecCertificate, privateKey: SecKey) {
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// One that was found.
    package convenience init(_ certificate: [UInt8], _ key: KeyReference, at item: KeychainItemHandle?) {
        self.init(
            certificate: SecCertificate(der: certificate, at: item?.naming(.certificate)), privateKey: SecKey(key))
    }

    package var queryValue: QueryValue {
        // One of a certificate and a key that were found apart is in no keychain as what it is.
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
