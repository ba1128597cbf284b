import Foundation

/// A cryptographic key.
///
/// No call makes one yet: the type is there for code that tells results apart.
public final class SecKey: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 257

    private init(_ nothing: Never) {}
}

/// The type identifier of ``SecKey`` objects.
public func SecKeyGetTypeID() -> CFTypeID { SecKey.cfTypeID }
