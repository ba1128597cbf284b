import Foundation

/// Makes a string from bytes that end in zero; nil where they are not text in that encoding.
public func CFStringCreateWithCString(
    _ alloc: CFAllocator!, _ cStr: UnsafePointer<CChar>!, _ encoding: CFStringEncoding
) -> CFString! {
    guard let cStr else { return nil }
    // SAFETY: the caller's bytes end in zero.
    return string(UnsafeRawBufferPointer(start: cStr, count: strlen(cStr)), encoding)
}

/// Makes a string from bytes; nil where they are not text in that encoding.
///
/// A byte order mark is recognized in encodings that may have one, whatever the last argument says.
public func CFStringCreateWithBytes(
    _ alloc: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ numBytes: CFIndex, _ encoding: CFStringEncoding,
    _ isExternalRepresentation: Bool
) -> CFString! {
    guard numBytes >= 0, bytes != nil || numBytes == 0 else { return nil }
    return string(UnsafeRawBufferPointer(start: bytes, count: numBytes), encoding)
}

/// Makes a string from data; nil where it is not text in that encoding.
public func CFStringCreateFromExternalRepresentation(
    _ alloc: CFAllocator!, _ data: CFData!, _ encoding: CFStringEncoding
) -> CFString! {
    guard let data else { return nil }
    return withExtendedLifetime(data) {
        string(UnsafeRawBufferPointer(start: data.bytes, count: data.length), encoding)
    }
}

private func string(_ bytes: UnsafeRawBufferPointer, _ encoding: CFStringEncoding) -> CFString? {
    guard let encoding = String.Encoding(encoding) else { return nil }
    guard let start = bytes.baseAddress, bytes.count > 0 else { return NSString() }
    return NSString(bytes: start, length: bytes.count, encoding: encoding.rawValue)
}

/// Encodes a string, with `lossByte` for each character that the encoding does not have.
///
/// With a `lossByte` of 0, the result is nil for a string with such a character.
public func CFStringCreateExternalRepresentation(
    _ alloc: CFAllocator!, _ theString: CFString!, _ encoding: CFStringEncoding, _ lossByte: UInt8
) -> CFData! {
    guard let theString, let encoding = String.Encoding(encoding) else { return nil }
    let text = theString as String
    if let data = text.data(using: encoding) { return data as NSData }
    guard lossByte != 0 else { return nil }
    return Data(text.flatMap { String($0).data(using: encoding) ?? Data([lossByte]) }) as NSData
}

/// Makes an immutable copy of a string.
public func CFStringCreateCopy(_ alloc: CFAllocator!, _ theString: CFString!) -> CFString! {
    theString.map { NSString(string: $0 as String) }
}

/// Returns the length in units of UTF-16.
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString?.length ?? 0 }

/// Copies a string with a terminating zero; false where the buffer is too short, or the encoding lacks a character.
@discardableResult
public func CFStringGetCString(
    _ theString: CFString!, _ buffer: UnsafeMutablePointer<CChar>!, _ bufferSize: CFIndex,
    _ encoding: CFStringEncoding
) -> Bool {
    guard let theString, let buffer, let encoding = String.Encoding(encoding),
        let bytes = theString.data(using: encoding.rawValue, allowLossyConversion: false),
        bytes.count < bufferSize
    else { return false }
    // SAFETY: the buffer has room for `bufferSize` bytes, and there is one more than these.
    let place = UnsafeMutableRawBufferPointer(start: buffer, count: bytes.count + 1)
    bytes.copyBytes(to: place)
    place[bytes.count] = 0
    return true
}

/// Always returns nil: a Swift string has no such bytes that stay in place.
///
/// Apple's function also returns nil for some strings. Callers on every platform must handle nil, and use
/// ``CFStringGetCString(_:_:_:_:)`` then.
public func CFStringGetCStringPtr(_ theString: CFString!, _ encoding: CFStringEncoding) -> UnsafePointer<CChar>! { nil }
