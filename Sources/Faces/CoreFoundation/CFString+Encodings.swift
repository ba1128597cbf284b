import Foundation

/// The number of a text encoding.
public typealias CFStringEncoding = UInt32

/// The number that stands for no encoding.
public let kCFStringEncodingInvalidId: CFStringEncoding = 0xffff_ffff

/// The encodings that exist on every platform, by name.
public enum CFStringBuiltInEncodings: CFStringEncoding, Sendable {
    case macRoman = 0
    case windowsLatin1 = 0x0500
    case isoLatin1 = 0x0201
    case nextStepLatin = 0x0b01
    case ASCII = 0x0600
    case nonLossyASCII = 0x0bff
    case unicode = 0x0100
    case UTF8 = 0x0800_0100
    case UTF16BE = 0x1000_0100
    case UTF16LE = 0x1400_0100
    case UTF32 = 0x0c00_0100
    case UTF32BE = 0x1800_0100
    case UTF32LE = 0x1c00_0100

    /// Another name of ``unicode``.
    public static var UTF16: CFStringBuiltInEncodings { .unicode }
}

/// The functions of Foundation's C library that convert encodings; they take and return numbers.
private enum KnownEncodings {
    @_silgen_name("CFStringConvertEncodingToNSStringEncoding")
    static func foundation(_ encoding: CFStringEncoding) -> UInt
    @_silgen_name("CFStringConvertNSStringEncodingToEncoding")
    static func core(_ encoding: UInt) -> CFStringEncoding
    @_silgen_name("CFStringGetMaximumSizeForEncoding")
    static func size(_ length: CFIndex, _ encoding: CFStringEncoding) -> CFIndex
}

/// Returns Foundation's number of an encoding, or 0xffffffff.
public func CFStringConvertEncodingToNSStringEncoding(_ encoding: CFStringEncoding) -> UInt {
    KnownEncodings.foundation(encoding)
}

/// Returns CoreFoundation's number of an encoding of Foundation, or ``kCFStringEncodingInvalidId``.
public func CFStringConvertNSStringEncodingToEncoding(_ encoding: UInt) -> CFStringEncoding {
    KnownEncodings.core(encoding)
}

/// Returns the most bytes that a number of UTF-16 units can take in an encoding, or ``kCFNotFound``.
public func CFStringGetMaximumSizeForEncoding(_ length: CFIndex, _ encoding: CFStringEncoding) -> CFIndex {
    KnownEncodings.size(length, encoding)
}

extension String.Encoding {
    /// The encoding with a number of CoreFoundation's, or nil.
    init?(_ encoding: CFStringEncoding) {
        let number = KnownEncodings.foundation(encoding)
        guard number != UInt(kCFStringEncodingInvalidId) else { return nil }
        self.init(rawValue: number)
    }
}
