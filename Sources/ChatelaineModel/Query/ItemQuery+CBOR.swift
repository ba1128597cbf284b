extension ItemQuery {
    /// Keys of the encoding; they never change meaning.
    private enum Field {
        static let itemClass: UInt64 = 0
        static let attributes: UInt64 = 1
        static let accessGroup: UInt64 = 2
        static let synchronizable: UInt64 = 3
        static let accessibility: UInt64 = 4
        static let identifier: UInt64 = 6
        static let host: UInt64 = 7
        /// 0 stands for all.
        static let limit: UInt64 = 8
        static let returns: UInt64 = 9
        static let authenticationUI: UInt64 = 10
        static let leavesTombstone: UInt64 = 11
        static let items: UInt64 = 12
        static let count = 12
    }

    public func encode(to writer: inout CBORWriter) {
        var count = 6
        if accessGroup != nil { count += 1 }
        if accessibility != nil { count += 1 }
        if identifier != nil { count += 1 }
        if host != nil { count += 1 }
        if leavesTombstone != nil { count += 1 }
        if items != nil { count += 1 }
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
        writer.write(UInt64(synchronizable.rawValue))
        if let accessibility {
            writer.write(Field.accessibility)
            writer.write(UInt64(accessibility.rawValue))
        }
        if let identifier {
            writer.write(Field.identifier)
            writer.write(identifier.value)
        }
        if let host {
            writer.write(Field.host)
            writer.write(host)
        }
        writer.write(Field.limit)
        writer.write(limit == .all ? 0 : Int64(limit.maximum))
        writer.write(Field.returns)
        writer.write(UInt64(returns.rawValue))
        writer.write(Field.authenticationUI)
        writer.write(UInt64(authenticationUI.rawValue))
        if let leavesTombstone {
            writer.write(Field.leavesTombstone)
            writer.write(leavesTombstone)
        }
        if let items {
            writer.write(Field.items)
            writer.writeArray(count: items.count)
            for item in items { writer.write(item.value) }
        }
    }

    /// Reads a query, and refuses unknown fields; throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        self.init(itemClass: .genericPassword)
        var hasClass = false
        var previous: UInt64?
        for _ in 0..<(try reader.readMapCount(limit: Field.count)) {
            switch try reader.readKey(after: &previous) {
            case Field.itemClass:
                itemClass = try reader.readCase(ItemClass.self)
                hasClass = true
            case Field.attributes: attributes = try AttributeSet(from: &reader)
            case Field.accessGroup: accessGroup = AccessGroup(try reader.readText())
            case Field.synchronizable: synchronizable = try reader.readCase(SynchronizableScope.self)
            case Field.accessibility: accessibility = try reader.readCase(Accessibility.self)
            case Field.identifier: identifier = try reader.readIdentifier()
            case Field.host: host = try reader.readText()
            case Field.limit:
                let number = try reader.readInt(in: 0...Int.max)
                limit = number == 0 ? .all : number == 1 ? .one : .count(number)
            case Field.returns: returns = try ReturnTypes(from: &reader)
            case Field.authenticationUI: authenticationUI = try reader.readCase(AuthenticationUI.self)
            case Field.leavesTombstone: leavesTombstone = try reader.readBool()
            case Field.items:
                let count = try reader.readArrayCount(limit: Limits.listedItems)
                items = try (0..<count).map { _ in try reader.readIdentifier() }
            default: throw CBORError.unsupported
            }
        }
        guard hasClass else { throw CBORError.unexpectedType }
    }
}
