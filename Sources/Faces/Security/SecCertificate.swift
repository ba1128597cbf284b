import Foundation

/// A certificate.
///
/// No call makes one yet: the type is there for code that tells results apart.
public final class SecCertificate: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 258

    private init(_ nothing: Never) {}
}

/// The type identifier of ``SecCertificate`` objects.
public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.cfTypeID }
