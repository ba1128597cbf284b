extension ItemChange: CBORValue {
    /// A field that ``ItemQuery`` has too has the same number there.
    private enum Field: UInt64, CBORField {
        case attributes = 1
        case accessGroup = 2
        case synchronizable = 3
        case accessibility = 4
        case secret = 5
        case constraints = 13
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.attributes, attributes)
            $0.write(Field.accessGroup, accessGroup)
            $0.write(Field.synchronizable, isSynchronizable)
            $0.write(Field.accessibility, accessibility)
            $0.write(Field.secret, secret)
            $0.write(Field.constraints, constraints)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        self.init()
        var map = try CBORMap(reader)
        attributes = try map.readIfPresent(Field.attributes) ?? AttributeSet()
        accessGroup = try map.readIfPresent(Field.accessGroup)
        isSynchronizable = try map.readIfPresent(Field.synchronizable)
        accessibility = try map.readIfPresent(Field.accessibility)
        secret = try map.readIfPresent(Field.secret)
        constraints = try map.readIfPresent(Field.constraints)
        reader = try map.end()
    }
}
