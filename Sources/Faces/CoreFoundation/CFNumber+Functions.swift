import Foundation

/// Returns the truth value of a ``CFBoolean``; false for nil.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean?.boolValue ?? false }

/// Makes a number from the value at a pointer; nil for a null pointer.
public func CFNumberCreate(
    _ allocator: CFAllocator!, _ theType: CFNumberType, _ valuePtr: UnsafeRawPointer!
) -> CFNumber! {
    guard let valuePtr else { return nil }
    // SAFETY: the caller says which type is there.
    return switch theType {
    case .sInt8Type, .charType: NSNumber(value: valuePtr.loadUnaligned(as: Int8.self))
    case .sInt16Type, .shortType: NSNumber(value: valuePtr.loadUnaligned(as: Int16.self))
    case .sInt32Type, .intType: NSNumber(value: valuePtr.loadUnaligned(as: Int32.self))
    case .sInt64Type, .longType, .longLongType, .cfIndexType, .nsIntegerType:
        NSNumber(value: valuePtr.loadUnaligned(as: Int64.self))
    case .float32Type, .floatType: NSNumber(value: valuePtr.loadUnaligned(as: Float.self))
    case .float64Type, .doubleType, .cgFloatType: NSNumber(value: valuePtr.loadUnaligned(as: Double.self))
    }
}

/// Stores a number at a pointer; false where the type cannot hold it.
///
/// The stored value is then the nearest that the type can hold.
@discardableResult
public func CFNumberGetValue(
    _ number: CFNumber!, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer!
) -> Bool {
    guard let number, let valuePtr else { return false }
    return switch theType {
    case .sInt8Type, .charType: store(number, as: Int8.self, at: valuePtr)
    case .sInt16Type, .shortType: store(number, as: Int16.self, at: valuePtr)
    case .sInt32Type, .intType: store(number, as: Int32.self, at: valuePtr)
    case .sInt64Type, .longType, .longLongType, .cfIndexType, .nsIntegerType:
        store(number, as: Int64.self, at: valuePtr)
    case .float32Type, .floatType: store(number, as: Float.self, at: valuePtr)
    case .float64Type, .doubleType, .cgFloatType: store(number, as: Double.self, at: valuePtr)
    }
}

// SAFETY, of both: the caller has room for a value of that type.

private func store<Whole: FixedWidthInteger>(
    _ number: NSNumber, as type: Whole.Type, at place: UnsafeMutableRawPointer
) -> Bool {
    // NSNumber returns arbitrary integers for numbers that an Int64 cannot hold.
    let real = number.doubleValue
    let whole = real >= 0x1p63 ? Int64.max : real < -0x1p63 ? Int64.min : number.int64Value
    place.storeBytes(of: Whole(clamping: whole), as: Whole.self)
    return Whole(exactly: whole) != nil && NSNumber(value: whole).isEqual(to: number)
}

private func store<Real: BinaryFloatingPoint & BitwiseCopyable>(
    _ number: NSNumber, as type: Real.Type, at place: UnsafeMutableRawPointer
) -> Bool {
    let real = Real(number.doubleValue)
    place.storeBytes(of: real, as: Real.self)
    return real.isNaN || NSNumber(value: Double(real)).isEqual(to: number)
}

/// Returns the C type that holds a number as it is stored.
public func CFNumberGetType(_ number: CFNumber!) -> CFNumberType {
    guard let number else { return .sInt32Type }
    // SAFETY: the encoding is a C string constant of at least one character.
    return switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): .charType
    case UInt8(ascii: "s"), UInt8(ascii: "C"): .sInt16Type
    case UInt8(ascii: "i"), UInt8(ascii: "S"): .sInt32Type
    case UInt8(ascii: "f"): .float32Type
    case UInt8(ascii: "d"): .float64Type
    default: .sInt64Type
    }
}

/// Returns whether a number is stored as a floating-point number.
public func CFNumberIsFloatType(_ number: CFNumber!) -> Bool {
    [.float32Type, .float64Type].contains(CFNumberGetType(number))
}
