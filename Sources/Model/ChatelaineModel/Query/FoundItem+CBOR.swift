import ChatelaineMemory

extension FoundItem: CBORValue {
    private enum Field: UInt64, CBORField {
        case identifier = 0
        case itemClass = 1
        case accessibility = 2
        case isSynchronizable = 3
        case attributes = 4
        case secret = 5
        case constraints = 6
        case key = 7
        case keyItem = 8
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identifier, identifier)
            $0.write(Field.itemClass, itemClass)
            $0.write(Field.accessibility, accessibility)
            $0.write(Field.isSynchronizable, isSynchronizable)
            $0.write(Field.attributes, encodedAttributes)
            $0.write(Field.secret, secret)
            $0.write(Field.constraints, constraints)
            $0.write(Field.key, key)
            $0.write(Field.keyItem, keyItem)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            identifier: try map.read(Field.identifier), itemClass: try map.read(Field.itemClass),
            accessibility: try map.read(Field.accessibility),
            isSynchronizable: try map.read(Field.isSynchronizable),
            attributes: try map.readIfPresent(Field.attributes), secret: try map.readIfPresent(Field.secret),
            constraints: try map.readIfPresent(Field.constraints),
            key: try map.readIfPresent(Field.key), keyItem: try map.readIfPresent(Field.keyItem))
        reader = try map.end()
    }
}
