extension AccessObject: CBORValue {
    private enum Field: UInt64, CBORField {
        case version = 1
        case owner = 2
        case entries = 3
    }

    /// The version of the format, which is the first field.
    package static let version: UInt64 = 1

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, Self.version)
            $0.write(Field.owner, owner)
            $0.writeArray(Field.entries, entries)
        }
    }

    /// The one encoding of the object, which is authenticated.
    package var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }

    /// Accepts only the one encoding of an object that ``validate()`` accepts.
    package init(from reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        var map = try CBORMap(reader)
        let version: UInt64 = try map.read(Field.version)
        guard version == Self.version else { throw .unsupported }
        owner = try map.read(Field.owner)
        entries = try map.readArray(Field.entries, limit: ACLLimits.entries)
        reader = try map.end()
        guard reader.offset - start <= ACLLimits.bytes else { throw .limitExceeded }
        guard defect == nil else { throw .outOfRange }
    }
}
