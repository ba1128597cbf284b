import Foundation

/// Any object that CoreFoundation functions take.
public typealias CFTypeRef = AnyObject
/// Any object that a property list may hold.
public typealias CFPropertyList = AnyObject

/// An immutable string.
public typealias CFString = NSString
/// A string that can be changed.
public typealias CFMutableString = NSMutableString
/// An immutable run of bytes.
public typealias CFData = NSData
/// A run of bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// An immutable list of objects.
public typealias CFArray = NSArray
/// A list of objects that can be changed.
public typealias CFMutableArray = NSMutableArray
/// An immutable dictionary; what every keychain query is.
public typealias CFDictionary = NSDictionary
/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// An immutable set of objects.
public typealias CFSet = NSSet
/// A set of objects that can be changed.
public typealias CFMutableSet = NSMutableSet
/// A truth value; the same class as ``CFNumber``, told apart by ``CFGetTypeID(_:)``.
///
/// It cannot be a class of its own. `true as CFBoolean` only compiles for the class to which Swift bridges `Bool`,
/// and no class outside Foundation can derive from that class.
public typealias CFBoolean = NSNumber
/// A number.
public typealias CFNumber = NSNumber
/// A point in time.
public typealias CFDate = NSDate
/// An error with domain and code.
public typealias CFError = NSError
/// The domain of a ``CFError``.
public typealias CFErrorDomain = NSString
/// The object that stands for nothing inside collections.
public typealias CFNull = NSNull
/// A universally unique identifier.
public typealias CFUUID = NSUUID
/// A resource locator.
public typealias CFURL = NSURL
