/// A class with a type identifier of its own for ``CFGetTypeID(_:)``.
///
/// The reference types of Security conform: programs check objects with `CFGetTypeID(object) == SecKeyGetTypeID()`. A
/// conforming class takes a number of 256 or more that no other class takes; lower numbers are CoreFoundation's.
public protocol CFTypeIdentified: AnyObject {
    /// The number that ``CFGetTypeID(_:)`` returns for every object of this class.
    static var cfTypeID: CFTypeID { get }
}
