extension CBORWriter {
    /// The most fields of a map: their count fits into its first byte, which is filled in after they are counted.
    @inlinable package static var maximumFields: Int { 23 }

    /// Writes a map of the fields that `body` writes, in the order of their numbers.
    @inlinable
    package mutating func writeMap(_ body: (inout CBORWriter) throws -> Void) rethrows {
        let outer = beginMap()
        try body(&self)
        endMap(outer)
    }

    @inlinable
    package mutating func write(_ field: some CBORField, _ value: some CBORValue) {
        writeKey(field.rawValue)
        value.encode(to: &self)
    }

    /// Leaves the field out if the value is nil.
    @inlinable
    package mutating func write(_ field: some CBORField, _ value: (some CBORValue)?) {
        guard let value else { return }
        write(field, value)
    }

    @inlinable
    package mutating func writeArray<Value: CBORValue>(_ field: some CBORField, _ values: [Value]) {
        writeKey(field.rawValue)
        writeArray(count: values.count)
        for value in values { value.encode(to: &self) }
    }

    /// Writes the number of a field; its value has to follow.
    @inlinable
    package mutating func begin(_ field: some CBORField) { writeKey(field.rawValue) }
}
