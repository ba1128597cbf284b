extension ItemChange {
    /// Keys of the encoding; they never change meaning, and are those of ``ItemQuery`` where the fields are.
    private enum Field {
        static let attributes: UInt64 = 1
        static let accessGroup: UInt64 = 2
        static let synchronizable: UInt64 = 3
        static let accessibility: UInt64 = 4
        static let secret: UInt64 = 5
    }

    public func encode(to writer: inout CBORWriter) {
        var count = 1
        for isPresent in [accessGroup != nil, isSynchronizable != nil, accessibility != nil, secret != nil]
        where isPresent { count += 1 }
        writer.writeMap(count: count)
        writer.write(Field.attributes)
        attributes.encode(to: &writer)
        if let accessGroup {
            writer.write(Field.accessGroup)
            writer.write(accessGroup.text)
        }
        if let isSynchronizable {
            writer.write(Field.synchronizable)
            writer.write(isSynchronizable)
        }
        if let accessibility {
            writer.write(Field.accessibility)
            writer.write(UInt64(accessibility.rawValue))
        }
        if let secret {
            writer.write(Field.secret)
            writer.write(secret)
        }
    }

    /// Reads a change, and refuses unknown fields; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        self.init()
        try reader.readMap { field, reader in
            switch field {
            case Field.attributes: attributes = try AttributeSet(from: &reader)
            case Field.accessGroup: accessGroup = AccessGroup(try reader.readText())
            case Field.synchronizable: isSynchronizable = try reader.readBool()
            case Field.accessibility: accessibility = try reader.readCase(Accessibility.self)
            case Field.secret: secret = try reader.readSecret()
            default: throw CBORError.unsupported
            }
        }
    }
}
