extension CBORWriter {
    /// Fields of one map: their number fits into its first byte, so that it can be written once they are counted.
    package static let maximumFields = 23

    /// Writes a map of the fields that `body` writes, which come in the order of their numbers.
    package mutating func writeMap(_ body: (inout CBORWriter) throws -> Void) rethrows {
        let outer = beginMap()
        try body(&self)
        endMap(outer)
    }

    package mutating func write(_ field: some CBORField, _ value: some CBORValue) {
        writeKey(field.rawValue)
        value.encode(to: &self)
    }

    /// Leaves the field out where there is no value.
    package mutating func write(_ field: some CBORField, _ value: (some CBORValue)?) {
        guard let value else { return }
        write(field, value)
    }

    package mutating func writeArray<Value: CBORValue>(_ field: some CBORField, _ values: [Value]) {
        writeKey(field.rawValue)
        writeArray(count: values.count)
        for value in values { value.encode(to: &self) }
    }

    /// Announces a field, whose value is written next.
    package mutating func begin(_ field: some CBORField) { writeKey(field.rawValue) }
}
