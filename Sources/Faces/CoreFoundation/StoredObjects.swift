import Foundation

/// The functions of Foundation's C library that return pointers to the objects in a collection.
///
/// They work with Foundation's Swift classes. The Swift methods of those classes return an object that was made for
/// the answer, so that a pointer to it would dangle. The header that declares these functions would import a module
/// that clashes with ours.
package enum StoredObjects {
    @_silgen_name("CFDictionaryGetValue")
    static func value(_ dictionary: NSDictionary, _ key: UnsafeRawPointer) -> UnsafeRawPointer?

    /// Writes as many keys and values as the dictionary has; a nil pointer skips keys or values.
    @_silgen_name("CFDictionaryGetKeysAndValues")
    package static func keysAndValues(
        _ dictionary: NSDictionary, _ keys: UnsafeMutableRawPointer?, _ values: UnsafeMutableRawPointer?)

    /// The index must be below the count.
    @_silgen_name("CFArrayGetValueAtIndex")
    package static func element(_ array: NSArray, _ index: Int) -> UnsafeRawPointer?

    @_silgen_name("CFSetGetValue")
    static func member(_ set: NSSet, _ value: UnsafeRawPointer) -> UnsafeRawPointer?

    /// Writes as many elements as the set has.
    @_silgen_name("CFSetGetValues")
    static func members(_ set: NSSet, _ values: UnsafeMutableRawPointer)

    /// Pointers to the elements of a set.
    static func members(of set: NSSet) -> [UnsafeRawPointer?] { pointers(set.count) { members(set, $0) } }

    /// Pointers to the keys and values of a dictionary.
    static func pairs(
        of dictionary: NSDictionary
    ) -> Zip2Sequence<[UnsafeRawPointer?], [UnsafeRawPointer?]> {
        let keys = pointers(dictionary.count) { keysAndValues(dictionary, $0, nil) }
        return zip(keys, pointers(dictionary.count) { keysAndValues(dictionary, nil, $0) })
    }

    /// The pointers that a function of the C library writes.
    private static func pointers(_ count: Int, _ write: (UnsafeMutableRawPointer) -> Void) -> [UnsafeRawPointer?] {
        var pointers = [UnsafeRawPointer?](repeating: nil, count: count)
        write(&pointers)
        return pointers
    }

    /// The object at a caller's pointer; nil for a null pointer.
    static func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
        // SAFETY: what is given to CoreFoundation's functions as an object must be one; Apple's retain it unseen as
        // well.
        pointer.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }
}
