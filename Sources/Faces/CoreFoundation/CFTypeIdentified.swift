/// A class that wants a type identifier of its own from ``CFGetTypeID(_:)``.
///
/// The reference types of Security conform: programs check with `CFGetTypeID(object) == SecKeyGetTypeID()` what they
/// got. A conforming class takes a number of 256 or more that no other class takes; those below are CoreFoundation's.
public protocol CFTypeIdentified: AnyObject {
    /// The number that ``CFGetTypeID(_:)`` returns for every object of this class.
    static var cfTypeID: CFTypeID { get }
}
