import Foundation

/// Returns the truth value of a ``CFBoolean``; false for none.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Returns the current time in seconds since 2001-01-01 00:00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Makes an object that holds a copy of some bytes, or nil for a negative length.
public func CFDataCreate(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) -> CFData! {
    guard length >= 0 else { return nil }
    // SAFETY: NSData copies the bytes before it returns; without a pointer it is given no length to read.
    return bytes.map { NSData(bytes: $0, length: length) } ?? NSData()
}

/// Returns the number of bytes in some data.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.length ?? 0 }
