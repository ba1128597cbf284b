extension CBORReader {
    public mutating func readByte() throws(CBORError) -> UInt8 { UInt8(try readInt(in: 0...255)) }

    /// A case of an enumeration by its number.
    public mutating func readCase<Case: RawRepresentable>(_: Case.Type) throws(CBORError) -> Case
    where Case.RawValue == UInt8 {
        guard let value = Case(rawValue: try readByte()) else { throw .outOfRange }
        return value
    }

    public mutating func readIdentifier() throws(CBORError) -> ItemIdentifier {
        guard let identifier = ItemIdentifier(try readBytes()) else { throw .outOfRange }
        return identifier
    }
}
