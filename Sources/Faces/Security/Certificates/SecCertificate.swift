import Foundation

/// A certificate of X.509.
///
/// It never changes, and any thread may use it. Two are equal when their bytes are.
public final class SecCertificate: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 258

    /// DER.
    package let der: [UInt8]

    package init(der: [UInt8]) { self.der = der }

    public override var hash: Int { der.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecCertificate else { return false }
        return der == other.der
    }

    public override var description: String { "<SecCertificate: \(der.count) bytes>" }
}

/// The type identifier of ``SecCertificate`` objects.
public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.cfTypeID }
