extension CBORReader {
    /// The next key of a map whose shape is fixed: it must be `key`.
    public mutating func readKey(_ key: UInt64) throws(CBORError) {
        guard try readUnsigned() == key else { throw .unsupported }
    }

    /// The next key of a map, which must be larger than the one before it.
    public mutating func readKey(after previous: inout UInt64?) throws(CBORError) -> UInt64 {
        let key = try readUnsigned()
        if let last = previous, key <= last { throw .unorderedKeys }
        previous = key
        return key
    }

    public mutating func readByte() throws(CBORError) -> UInt8 { UInt8(try readInt(in: 0...255)) }

    /// A case of an enumeration by its number.
    public mutating func readCase<Case: RawRepresentable>(_: Case.Type) throws(CBORError) -> Case
    where Case.RawValue == UInt8 {
        guard let value = Case(rawValue: try readByte()) else { throw .outOfRange }
        return value
    }

    public mutating func readBytes16() throws(CBORError) -> Bytes16 {
        guard let bytes = Bytes16(try readBytes()) else { throw .outOfRange }
        return bytes
    }

    public mutating func readIdentifier<Identifier: RandomIdentifier>() throws(CBORError) -> Identifier {
        Identifier(try readBytes16())
    }
}
