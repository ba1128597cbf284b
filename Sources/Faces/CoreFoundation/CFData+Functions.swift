import Foundation

/// Makes an object that holds a copy of some bytes, or nil for a negative length.
public func CFDataCreate(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex
) -> CFData! {
    guard length >= 0 else { return nil }
    // SAFETY: NSData copies the bytes before it returns; without a pointer it is given no length to read.
    return bytes.map { NSData(bytes: $0, length: length) } ?? NSData()
}

/// Makes an object around bytes that the caller made, without copying them; nil for a negative length.
///
/// With ``kCFAllocatorNull`` the bytes stay the caller's and must outlive the object. With any other allocator, and
/// with nil, they come from malloc(3) and are freed with the object.
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex, _ bytesDeallocator: CFAllocator!
) -> CFData! {
    guard length >= 0 else { return nil }
    guard let bytes else { return NSData() }
    return NSData(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), length: length,
        freeWhenDone: bytesDeallocator !== kCFAllocatorNull)
}

/// Makes an immutable copy of data.
public func CFDataCreateCopy(_ allocator: CFAllocator!, _ theData: CFData!) -> CFData! {
    theData.map { NSData(data: $0 as Data) }
}

/// Makes empty mutable data; it grows beyond every capacity.
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { NSMutableData() }

/// Makes a mutable copy of data.
public func CFDataCreateMutableCopy(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ theData: CFData!
) -> CFMutableData! {
    theData.map { NSMutableData(data: $0 as Data) }
}

/// Returns the number of bytes in some data.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.length ?? 0 }

/// Returns a pointer to the bytes, which the data keeps.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    // SAFETY: bytes have no other type, and NSData keeps them where they are as long as it lives.
    theData?.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Returns a pointer to the bytes of mutable data, valid until its length changes.
public func CFDataGetMutableBytePtr(_ theData: CFMutableData!) -> UnsafeMutablePointer<UInt8>! {
    // SAFETY: as in ``CFDataGetBytePtr(_:)``.
    theData?.mutableBytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies a range of the bytes; copies nothing where the range exceeds the data.
public func CFDataGetBytes(_ theData: CFData!, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>!) {
    guard let theData, let buffer, range.location >= 0, range.length >= 0,
        range.location <= theData.length, range.length <= theData.length - range.location
    else { return }
    theData.getBytes(buffer, range: NSRange(location: range.location, length: range.length))
}

/// Truncates data or appends zeros; does nothing for a negative length.
public func CFDataSetLength(_ theData: CFMutableData!, _ length: CFIndex) {
    if length >= 0 { theData?.length = length }
}

/// Adds bytes behind the last one.
public func CFDataAppendBytes(_ theData: CFMutableData!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) {
    guard let bytes, length > 0 else { return }
    theData?.append(bytes, length: length)
}
