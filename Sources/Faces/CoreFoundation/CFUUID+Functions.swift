import Foundation

/// Makes a new unique identifier.
public func CFUUIDCreate(_ alloc: CFAllocator!) -> CFUUID! { NSUUID() }

/// Makes an identifier from its text; nil for any other text.
public func CFUUIDCreateFromString(_ alloc: CFAllocator!, _ uuidStr: CFString!) -> CFUUID! {
    uuidStr.flatMap { NSUUID(uuidString: $0 as String) }
}

/// Returns the text of an identifier, in upper case.
public func CFUUIDCreateString(_ alloc: CFAllocator!, _ uuid: CFUUID!) -> CFString! {
    uuid.map { NSString(string: $0.uuidString) }
}
