import Foundation

/// Makes `AnyHashable(NSNumber)` equal to the `AnyHashable` of the same `Bool`, integer or `Double`, as on Apple's
/// platforms.
///
/// Without this conformance, a query with `kCFBooleanTrue` in a `[String: AnyHashable]` is not equal to one with
/// `true`, and equal numbers have different hash values. Decimal numbers keep their own representation, since no
/// Swift number holds all of them.
extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    /// The same value as a Swift number or truth value in an `AnyHashable`.
    public func _toCustomAnyHashable() -> AnyHashable? {
        if self is NSDecimalNumber { return nil }
        if isBoolean { return AnyHashable(boolValue) }
        // The encodings of Objective-C: f and d are floating, Q is the unsigned one that a signed integer cannot hold.
        // SAFETY: the encoding is a C string constant of at least one character.
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return AnyHashable(doubleValue)
        case UInt8(ascii: "Q"): return AnyHashable(uint64Value)
        default: return AnyHashable(int64Value)
        }
    }

    /// Booleans are a private subclass in Foundation; the type encoding does not tell them from small integers.
    var isBoolean: Bool {
        ObjectIdentifier(type(of: self)) == booleanClass
    }
}

private let booleanClass = ObjectIdentifier(type(of: NSNumber(value: true)))
