import Foundation

/// The type identifiers of Foundation's classes.
///
/// The values are those of the CoreFoundation that ships with Swift, so that C code in the same program agrees.
private enum KnownTypeID {
    static let notAType: CFTypeID = 0
    static let string: CFTypeID = 7
    static let null: CFTypeID = 16
    static let set: CFTypeID = 17
    static let dictionary: CFTypeID = 18
    static let array: CFTypeID = 19
    static let data: CFTypeID = 20
    static let boolean: CFTypeID = 21
    static let number: CFTypeID = 22
    static let error: CFTypeID = 27
    static let url: CFTypeID = 29
    static let uuid: CFTypeID = 34
    static let date: CFTypeID = 42
}

/// Returns the type identifier of an object.
///
/// The result is 0 for a class that is neither Foundation's nor a ``CFTypeIdentified``; no `…GetTypeID` function
/// returns 0.
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    switch cf {
    case let known as any CFTypeIdentified: type(of: known).cfTypeID
    case is NSString: KnownTypeID.string
    case is NSData: KnownTypeID.data
    case let number as NSNumber: number.isBoolean ? KnownTypeID.boolean : KnownTypeID.number
    case is NSDictionary: KnownTypeID.dictionary
    case is NSArray: KnownTypeID.array
    case is NSDate: KnownTypeID.date
    case is NSSet: KnownTypeID.set
    case is NSError: KnownTypeID.error
    case is NSNull: KnownTypeID.null
    case is NSURL: KnownTypeID.url
    case is NSUUID: KnownTypeID.uuid
    default: KnownTypeID.notAType
    }
}

/// Returns whether two objects are equal by value; objects without an equality of their own only equal themselves.
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    guard let cf1, let cf2 else { return cf1 == nil && cf2 == nil }
    guard let object = cf1 as? NSObject else { return cf1 === cf2 }
    return object.isEqual(cf2)
}

/// Returns a hash, which is the same for objects that ``CFEqual(_:_:)`` calls equal.
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
    guard let cf else { return 0 }
    guard let object = cf as? NSObject else { return CFHashCode(bitPattern: ObjectIdentifier(cf).hashValue) }
    return CFHashCode(bitPattern: object.hash)
}

/// The type identifier of ``CFString``.
public func CFStringGetTypeID() -> CFTypeID { KnownTypeID.string }
/// The type identifier of ``CFData``.
public func CFDataGetTypeID() -> CFTypeID { KnownTypeID.data }
/// The type identifier of a ``CFNumber`` that is no truth value.
public func CFNumberGetTypeID() -> CFTypeID { KnownTypeID.number }
/// The type identifier of a ``CFBoolean``.
public func CFBooleanGetTypeID() -> CFTypeID { KnownTypeID.boolean }
/// The type identifier of ``CFDictionary``.
public func CFDictionaryGetTypeID() -> CFTypeID { KnownTypeID.dictionary }
/// The type identifier of ``CFArray``.
public func CFArrayGetTypeID() -> CFTypeID { KnownTypeID.array }
/// The type identifier of ``CFDate``.
public func CFDateGetTypeID() -> CFTypeID { KnownTypeID.date }
/// The type identifier of ``CFSet``.
public func CFSetGetTypeID() -> CFTypeID { KnownTypeID.set }
/// The type identifier of ``CFError``.
public func CFErrorGetTypeID() -> CFTypeID { KnownTypeID.error }
/// The type identifier of ``CFNull``.
public func CFNullGetTypeID() -> CFTypeID { KnownTypeID.null }
/// The type identifier of ``CFURL``.
public func CFURLGetTypeID() -> CFTypeID { KnownTypeID.url }
/// The type identifier of ``CFUUID``.
public func CFUUIDGetTypeID() -> CFTypeID { KnownTypeID.uuid }
