/// Attributes with their values, sorted by key; each key occurs once.
package struct AttributeSet: Hashable, Sendable {
    /// The most attributes of an item; a dictionary with more than 128 pairs is refused before
    /// (behaviour/limits.md, 1).
    package static let maximumCount = 128

    package struct Entry: Hashable, Sendable {
        package let key: AttributeKey
        package var value: AttributeValue
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    package subscript(key: AttributeKey) -> AttributeValue? {
        get {
            let index = position(of: key)
            return index < entries.count && entries[index].key == key ? entries[index].value : nil
        }
        set {
            let index = position(of: key)
            let isPresent = index < entries.count && entries[index].key == key
            switch (newValue, isPresent) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Sets every value of `other`, replacing those of the same keys.
    package mutating func merge(_ other: AttributeSet) {
        for entry in other.entries { self[entry.key] = entry.value }
    }

    /// The index of the key, or the index at which to insert it.
    ///
    /// Sets are small, so a linear search beats a binary one.
    private func position(of key: AttributeKey) -> Int {
        var index = 0
        while index < entries.count, entries[index].key < key { index += 1 }
        return index
    }
}

extension AttributeSet {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: entries.count)
        for entry in entries {
            writer.write(UInt64(entry.key.rawValue))
            entry.value.encode(to: &writer)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readMapCount(limit: Self.maximumCount)
        entries.reserveCapacity(count)
        var previous: AttributeKey?
        for _ in 0..<count {
            let key = try Self.readKey(&reader, after: &previous)
            entries.append(Entry(key: key, value: try AttributeValue(from: &reader)))
        }
    }

    /// The bytes of encoded attributes, borrowed from the reader, after the checks that decoding would make.
    static func readEncoded(_ reader: inout CBORReader) throws(CBORError) -> UnsafeRawBufferPointer {
        let start = reader.offset
        var previous: AttributeKey?
        for _ in 0..<(try reader.readMapCount(limit: maximumCount)) {
            _ = try readKey(&reader, after: &previous)
            try AttributeValue.skip(&reader)
        }
        return reader.bytes(from: start)
    }

    private static func readKey(
        _ reader: inout CBORReader, after previous: inout AttributeKey?
    ) throws(CBORError) -> AttributeKey {
        guard let code = UInt32(exactly: try reader.readUnsigned()) else { throw .outOfRange }
        let key = AttributeKey(rawValue: code)
        if let previous, key <= previous { throw .unorderedKeys }
        previous = key
        return key
    }
}
