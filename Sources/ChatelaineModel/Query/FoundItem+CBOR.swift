import ChatelaineMemory

extension FoundItem {
    /// Keys of the encoding; they never change meaning.
    private enum Field {
        static let identifier: UInt64 = 0
        static let itemClass: UInt64 = 1
        static let accessibility: UInt64 = 2
        static let isSynchronizable: UInt64 = 3
        static let attributes: UInt64 = 4
        static let secret: UInt64 = 5
        static let count = 6
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 4 + (encodedAttributes == nil ? 0 : 1) + (secret == nil ? 0 : 1))
        writer.write(Field.identifier)
        writer.write(identifier.value)
        writer.write(Field.itemClass)
        writer.write(UInt64(itemClass.rawValue))
        writer.write(Field.accessibility)
        writer.write(UInt64(accessibility.rawValue))
        writer.write(Field.isSynchronizable)
        writer.write(isSynchronizable)
        if let encodedAttributes {
            writer.write(Field.attributes)
            encodedAttributes.encode(to: &writer)
        }
        if let secret {
            writer.write(Field.secret)
            writer.write(secret)
        }
    }

    /// Reads an item, and refuses unknown and missing fields; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var identifier: ItemIdentifier?
        var itemClass: ItemClass?
        var accessibility: Accessibility?
        var isSynchronizable: Bool?
        var attributes: EncodedAttributes?
        var secret: SecretBytes?
        var previous: UInt64?
        for _ in 0..<(try reader.readMapCount(limit: Field.count)) {
            switch try reader.readKey(after: &previous) {
            case Field.identifier: identifier = try reader.readIdentifier()
            case Field.itemClass: itemClass = try reader.readCase(ItemClass.self)
            case Field.accessibility: accessibility = try reader.readCase(Accessibility.self)
            case Field.isSynchronizable: isSynchronizable = try reader.readBool()
            case Field.attributes: attributes = try EncodedAttributes(from: &reader)
            case Field.secret: secret = try reader.readSecret()
            default: throw CBORError.unsupported
            }
        }
        guard let identifier, let itemClass, let accessibility, let isSynchronizable else {
            throw CBORError.unexpectedType
        }
        self.init(
            identifier: identifier, itemClass: itemClass, accessibility: accessibility,
            isSynchronizable: isSynchronizable, attributes: attributes, secret: secret)
    }
}
