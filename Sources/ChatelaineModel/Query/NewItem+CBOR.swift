extension NewItem {
    /// Keys of the encoding; they never change meaning, and are those of ``ItemQuery`` where the fields are.
    private enum Field {
        static let itemClass: UInt64 = 0
        static let attributes: UInt64 = 1
        static let accessGroup: UInt64 = 2
        static let synchronizable: UInt64 = 3
        static let accessibility: UInt64 = 4
        static let secret: UInt64 = 5
        static let returns: UInt64 = 9
        static let authenticationUI: UInt64 = 10
        static let count = 8
    }

    public func encode(to writer: inout CBORWriter) {
        var count = 5
        if accessGroup != nil { count += 1 }
        if accessibility != nil { count += 1 }
        if secret != nil { count += 1 }
        writer.writeMap(count: count)
        writer.write(Field.itemClass)
        writer.write(UInt64(itemClass.rawValue))
        writer.write(Field.attributes)
        attributes.encode(to: &writer)
        if let accessGroup {
            writer.write(Field.accessGroup)
            writer.write(accessGroup.text)
        }
        writer.write(Field.synchronizable)
        writer.write(isSynchronizable)
        if let accessibility {
            writer.write(Field.accessibility)
            writer.write(UInt64(accessibility.rawValue))
        }
        if let secret {
            writer.write(Field.secret)
            writer.write(secret)
        }
        writer.write(Field.returns)
        writer.write(UInt64(returns.rawValue))
        writer.write(Field.authenticationUI)
        writer.write(UInt64(authenticationUI.rawValue))
    }

    /// Reads a new item, and refuses unknown fields; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        self.init(itemClass: .genericPassword)
        var hasClass = false
        try reader.readMap(limit: Field.count) { field, reader in
            switch field {
            case Field.itemClass:
                itemClass = try reader.readCase(ItemClass.self)
                hasClass = true
            case Field.attributes: attributes = try AttributeSet(from: &reader)
            case Field.accessGroup: accessGroup = AccessGroup(try reader.readText())
            case Field.synchronizable: isSynchronizable = try reader.readBool()
            case Field.accessibility: accessibility = try reader.readCase(Accessibility.self)
            case Field.secret: secret = try reader.readSecret()
            case Field.returns: returns = try ReturnTypes(from: &reader)
            case Field.authenticationUI: authenticationUI = try reader.readCase(AuthenticationUI.self)
            default: throw CBORError.unsupported
            }
        }
        guard hasClass else { throw CBORError.unexpectedType }
    }
}

extension ReturnTypes {
    init(from reader: inout CBORReader) throws {
        self.init(rawValue: try reader.readByte())
        guard isSubset(of: .known) else { throw CBORError.outOfRange }
    }
}
