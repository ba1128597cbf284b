import ChatelaineMemory

/// A value with one encoding, which can be a field of a message or file.
@usableFromInline
package protocol CBORValue {
    /// Reads one value and nothing beyond it.
    init(from reader: inout CBORReader) throws(CBORError)
    func encode(to writer: inout CBORWriter)
}

/// The fields of one map, by their numbers; a number never changes meaning.
@usableFromInline
package protocol CBORField: RawRepresentable where RawValue == UInt64 {}

extension CBORValue where Self: RawRepresentable, RawValue == UInt8 {
    /// The case with this number; throws `outOfRange` if there is none.
    @inlinable package init(from reader: inout CBORReader) throws(CBORError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .outOfRange }
        self = value
    }

    @inlinable package func encode(to writer: inout CBORWriter) { writer.write(UInt64(rawValue)) }
}

// MARK: Values of Swift

extension UInt64: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readUnsigned() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension UInt32: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) {
        guard let value = UInt32(exactly: try reader.readUnsigned()) else { throw .outOfRange }
        self = value
    }

    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(UInt64(self)) }
}

extension Int64: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readInteger() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension Bool: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readBool() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension Double: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readDouble() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension String: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readText() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

/// Encoded as a byte string. ``CBORMap/readArray(_:limit:)`` reads arrays of values, with a limit.
extension Array: CBORValue where Element == UInt8 {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readArray() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

// MARK: Values of ours

extension SecretBytes: CBORValue {
    @usableFromInline package convenience init(from reader: inout CBORReader) throws(CBORError) {
        self.init(copying: try reader.readBytes())
    }

    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension Bytes16: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readBytes16() }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(self) }
}

extension CBORValue where Self: RandomIdentifier {
    @inlinable package init(from reader: inout CBORReader) throws(CBORError) {
        self.init(try reader.readBytes16())
    }
    @inlinable package func encode(to writer: inout CBORWriter) { writer.write(value) }
}

extension ItemIdentifier: CBORValue {}
extension StoreIdentifier: CBORValue {}
extension KeybagIdentifier: CBORValue {}
extension RequestIdentifier: CBORValue {}

extension AccessGroup: CBORValue {
    @usableFromInline package init(from reader: inout CBORReader) throws(CBORError) { self.init(try reader.readText()) }
    @usableFromInline package func encode(to writer: inout CBORWriter) { writer.write(text) }
}

extension AttributeSet: CBORValue {}
extension AttributeValue: CBORValue {}
extension EncodedAttributes: CBORValue {}
extension ItemClass: CBORValue {}
extension Accessibility: CBORValue {}
extension SynchronizableScope: CBORValue {}
extension AuthenticationFailure: CBORValue {}

extension AuthenticationUI: CBORValue {}
extension DamageReason: CBORValue {}
extension CheckOutcome: CBORValue {}
extension SnapshotReason: CBORValue {}
extension KeychainError.Cause: CBORValue {}
