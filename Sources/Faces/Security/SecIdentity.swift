import Foundation

/// A certificate together with its private key.
///
/// No call makes one yet: the type is there for code that tells results apart.
public final class SecIdentity: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 259

    private init(_ nothing: Never) {}
}

/// The type identifier of ``SecIdentity`` objects.
public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.cfTypeID }
