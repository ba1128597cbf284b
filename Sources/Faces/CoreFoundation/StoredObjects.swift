import Foundation

/// The functions of Foundation's C library that hand out pointers to what a collection holds.
///
/// They work with Foundation's Swift classes. Asking those classes in Swift gives an object that was made for the answer, so
/// that a pointer to it leads nowhere. The header that declares them would bring a module that clashes with ours.
package enum StoredObjects {
    @_silgen_name("CFDictionaryGetValue")
    static func value(_ dictionary: NSDictionary, _ key: UnsafeRawPointer) -> UnsafeRawPointer?

    /// Writes as many keys and values as the dictionary has; a nil pointer asks for none.
    @_silgen_name("CFDictionaryGetKeysAndValues")
    package static func keysAndValues(
        _ dictionary: NSDictionary, _ keys: UnsafeMutableRawPointer?, _ values: UnsafeMutableRawPointer?)

    /// The index must be below the count.
    @_silgen_name("CFArrayGetValueAtIndex")
    static func element(_ array: NSArray, _ index: Int) -> UnsafeRawPointer?

    /// The object that a caller points to; nil for a null pointer.
    static func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
        // SAFETY: what is given to CoreFoundation's functions as an object must be one; Apple's retain it unseen as well.
        pointer.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }
}
