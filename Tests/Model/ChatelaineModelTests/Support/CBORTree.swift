import ChatelaineModel

/// Any value of the subset, for tests that read unknown input.
indirect enum CBORTree: Equatable {
    case unsigned(UInt64)
    case negative(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORTree])
    case map([CBORTree], [CBORTree])
    case bool(Bool)
    case null
    /// Compared by bit pattern, so that a NaN equals itself.
    case double(UInt64)

    init(from reader: inout CBORReader) throws(CBORError) {
        switch try reader.peek() {
        case .unsigned: self = .unsigned(try reader.readUnsigned())
        case .negative: self = .negative(try reader.readInteger())
        case .bytes: self = .bytes(try reader.readArray())
        case .text: self = .text(try reader.readText())
        case .array:
            var values: [CBORTree] = []
            for _ in 0..<(try reader.readArrayCount(limit: 1000)) { values.append(try CBORTree(from: &reader)) }
            self = .array(values)
        case .map:
            var keys: [CBORTree] = []
            var values: [CBORTree] = []
            for _ in 0..<(try reader.readMapCount(limit: 1000)) {
                keys.append(try CBORTree(from: &reader))
                values.append(try CBORTree(from: &reader))
            }
            self = .map(keys, values)
        case .simple:
            if try reader.readNull() {
                self = .null
            } else if let flag = try? reader.readBool() {
                self = .bool(flag)
            } else {
                self = .double(try reader.readDouble().bitPattern)
            }
        }
    }

    func encode(to writer: inout CBORWriter) {
        switch self {
        case .unsigned(let value): writer.write(value)
        case .negative(let value): writer.write(value)
        case .bytes(let bytes): writer.write(bytes)
        case .text(let text): writer.write(text)
        case .array(let values):
            writer.writeArray(count: values.count)
            for value in values { value.encode(to: &writer) }
        case .map(let keys, let values):
            writer.writeMap(count: keys.count)
            for (key, value) in zip(keys, values) {
                key.encode(to: &writer)
                value.encode(to: &writer)
            }
        case .bool(let flag): writer.write(flag)
        case .null: writer.writeNull()
        case .double(let pattern): writer.write(Double(bitPattern: pattern))
        }
    }

    var encoding: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.finishArray()
    }

    /// The whole input as one value, read after a check.
    static func reading(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> CBORTree {
        var check = CBORReader(bytes)
        try check.skip()
        try check.finish()
        var reader = CBORReader(bytes)
        return try CBORTree(from: &reader)
    }
}
