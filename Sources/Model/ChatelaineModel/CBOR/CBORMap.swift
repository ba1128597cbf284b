/// Reads a map field by field, in the order of the field numbers.
///
/// Reading an absent field throws `missingField`. ``end()`` finds a field that was not read. Repeated or descending
/// keys fit no order of reading, and so are refused too:
///
///     var map = try CBORMap(reader)
///     name = try map.read(Field.name)
///     comment = try map.readIfPresent(Field.comment)
///     reader = try map.end()
@usableFromInline
package struct CBORMap {
    /// The reader before the value of the field that was last found.
    @usableFromInline
    package var reader: CBORReader
    /// The number of pairs that were not read yet.
    @usableFromInline
    package internal(set) var left: Int

    /// Reads the head of a map; throws for any other value.
    package init(_ reader: CBORReader) throws(CBORError) {
        self.reader = reader
        left = try self.reader.readMapCount(limit: CBORWriter.maximumFields)
    }

    /// The value of a required field.
    @inlinable
    package mutating func read<Value: CBORValue>(_ field: some CBORField) throws(CBORError) -> Value {
        try find(field)
        return try Value(from: &reader)
    }

    /// The value of a field that may be absent.
    @inlinable
    package mutating func readIfPresent<Value: CBORValue>(_ field: some CBORField) throws(CBORError) -> Value? {
        guard try has(field) else { return nil }
        return try Value(from: &reader)
    }

    /// The values of a required array field, at most `limit`.
    @inlinable
    package mutating func readArray<Value: CBORValue>(
        _ field: some CBORField, limit: Int
    ) throws(CBORError) -> [Value] {
        guard let values: [Value] = try readArrayIfPresent(field, limit: limit) else { throw .missingField }
        return values
    }

    /// The values of an array field that may be absent.
    @inlinable
    package mutating func readArrayIfPresent<Value: CBORValue>(
        _ field: some CBORField, limit: Int
    ) throws(CBORError) -> [Value]? {
        guard try has(field) else { return nil }
        let count = try reader.readArrayCount(limit: limit)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try Value(from: &reader)) }
        return values
    }

    /// Moves ``reader`` to the value of a required field.
    @inlinable
    package mutating func find(_ field: some CBORField) throws(CBORError) {
        guard try has(field) else { throw .missingField }
    }

    /// Whether the next field is this one; if so, moves ``reader`` to its value.
    @inlinable
    package mutating func has(_ field: some CBORField) throws(CBORError) -> Bool { try isNext(field.rawValue) }

    @inlinable
    mutating func isNext(_ key: UInt64) throws(CBORError) -> Bool {
        guard left > 0, try reader.readUnsigned(key) else { return false }
        left -= 1
        return true
    }

    /// The reader after the map; throws if a field was not read.
    package func end() throws(CBORError) -> CBORReader {
        guard left == 0 else { throw .unsupported }
        return reader
    }
}

extension CBORReader {
    /// Reads the head of an array of exactly `count` values.
    package mutating func readArrayHead(of count: Int) throws(CBORError) {
        guard try readArrayCount(limit: count) == count else { throw .unexpectedType }
    }
}
