/// Reads a map field by field, in the order of their numbers, as a message or file declares them.
///
/// Whoever asks for a field that is not there gets `missingField`; one that nobody asks for is found by ``end()``. Keys
/// that repeat or descend fit no order of questions, and so are refused as well:
///
///     var map = try CBORMap(reader)
///     name = try map.read(Field.name)
///     comment = try map.readIfPresent(Field.comment)
///     reader = try map.end()
@usableFromInline
package struct CBORMap {
    /// Stands before the value of the field that was last found.
    @usableFromInline
    package var reader: CBORReader
    /// Pairs that nobody has asked for yet.
    package private(set) var left: Int

    /// Begins at the head of a map; any other value is refused.
    package init(_ reader: CBORReader) throws(CBORError) {
        self.reader = reader
        left = try self.reader.readMapCount(limit: CBORWriter.maximumFields)
    }

    /// The value of a field that has to be there.
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

    /// The values of a field that is an array and has to be there, of `limit` values at the most.
    @inlinable
    package mutating func readArray<Value: CBORValue>(
        _ field: some CBORField, limit: Int
    ) throws(CBORError) -> [Value] {
        guard let values: [Value] = try readArrayIfPresent(field, limit: limit) else { throw .missingField }
        return values
    }

    /// The values of a field that is an array and may be absent.
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

    /// Goes to the value of a field that has to be there, for ``reader`` to read.
    @inlinable
    package mutating func find(_ field: some CBORField) throws(CBORError) {
        guard try has(field) else { throw .missingField }
    }

    /// Goes to the value of a field where the next one is that, for ``reader`` to read.
    @inlinable
    package mutating func has(_ field: some CBORField) throws(CBORError) -> Bool { try isNext(field.rawValue) }

    @usableFromInline
    mutating func isNext(_ key: UInt64) throws(CBORError) -> Bool {
        guard left > 0 else { return false }
        let start = reader
        guard try reader.readUnsigned() == key else {
            reader = start
            return false
        }
        left -= 1
        return true
    }

    /// The reader behind the map, of which nothing may be left.
    package func end() throws(CBORError) -> CBORReader {
        guard left == 0 else { throw .unsupported }
        return reader
    }
}

extension CBORReader {
    /// The head of an array of exactly `count` values.
    package mutating func readArrayHead(of count: Int) throws(CBORError) {
        guard try readArrayCount(limit: count) == count else { throw .unexpectedType }
    }
}
