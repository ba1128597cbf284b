extension NewItem: CBORValue {
    /// A field that ``ItemQuery`` has too has the same number there.
    private enum Field: UInt64, CBORField {
        case itemClass = 0
        case attributes = 1
        case accessGroup = 2
        case isSynchronizable = 3
        case accessibility = 4
        case secret = 5
        case returns = 9
        case authenticationUI = 10
        case constraints = 13
        case prompt = 15
        case access = 17
        case keyKind = 18
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.itemClass, itemClass)
            $0.write(Field.attributes, attributes)
            $0.write(Field.accessGroup, accessGroup)
            $0.write(Field.isSynchronizable, isSynchronizable)
            $0.write(Field.accessibility, accessibility)
            $0.write(Field.secret, secret)
            $0.write(Field.returns, returns)
            $0.write(Field.authenticationUI, authenticationUI)
            $0.write(Field.constraints, constraints)
            $0.write(Field.prompt, prompt)
            $0.write(Field.access, access)
            $0.write(Field.keyKind, keyKind)
        }
    }

    /// Absent fields have the values of a new item.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(itemClass: try map.read(Field.itemClass))
        if let given: AttributeSet = try map.readIfPresent(Field.attributes) { attributes = given }
        accessGroup = try map.readIfPresent(Field.accessGroup)
        if let given: Bool = try map.readIfPresent(Field.isSynchronizable) { isSynchronizable = given }
        accessibility = try map.readIfPresent(Field.accessibility)
        secret = try map.readIfPresent(Field.secret)
        if let given: ReturnTypes = try map.readIfPresent(Field.returns) { returns = given }
        if let given: AuthenticationUI = try map.readIfPresent(Field.authenticationUI) { authenticationUI = given }
        constraints = try map.readIfPresent(Field.constraints)
        prompt = try map.readIfPresent(Field.prompt)
        access = try map.readIfPresent(Field.access)
        keyKind = try map.readIfPresent(Field.keyKind)
        reader = try map.end()
    }
}
