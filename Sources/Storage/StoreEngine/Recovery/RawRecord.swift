/// A record of SQLite's file format, read without SQLite (sqlite.org/fileformat2.html, section 2.1).
///
/// The record is untrusted: every length is checked against the bytes at hand.
struct RawRecord {
    enum Value: Equatable, Sendable {
        case null
        case integer(Int64)
        case blob([UInt8])
        /// Text or floating point, which no column of a store has.
        case other

        /// The length of a blob; nil for any other value.
        var blobCount: Int? { if case .blob(let bytes) = self { bytes.count } else { nil } }
    }

    /// More columns than any table of a store has.
    static let maximumColumns = 64

    let values: [Value]

    /// Decodes a record; nil for other bytes.
    init?(_ payload: UnsafeRawBufferPointer) {
        var values: [Value] = []
        guard
            Self.walk(
                payload,
                { type, bytes in
                    guard let bytes else { return false }
                    values.append(Self.value(type, bytes))
                    return true
                })
        else { return nil }
        self.values = values
    }

    /// Passes the serial type and the bytes of each column to `body`, until it answers false.
    ///
    /// The bytes are nil where they are not in the buffer. The answer is false for bytes that are no record, or where
    /// `body` stopped.
    static func walk(
        _ payload: UnsafeRawBufferPointer, _ body: (UInt64, UnsafeRawBufferPointer?) -> Bool
    ) -> Bool {
        guard let (headerSize, headerStart) = varint(payload, 0), headerSize >= UInt64(headerStart),
            headerSize <= UInt64(payload.count), headerSize <= 10 * UInt64(maximumColumns)
        else { return false }
        var position = headerStart
        var offset = UInt64(headerSize)
        var columns = 0
        while position < Int(headerSize) {
            guard columns < maximumColumns, let (type, length) = varint(payload, position),
                position + length <= Int(headerSize)
            else { return false }
            position += length
            columns += 1
            let size = byteCount(of: type)
            guard size <= UInt64(Int32.max) else { return false }
            let end = offset + size
            let bytes =
                end <= UInt64(payload.count)
                ? UnsafeRawBufferPointer(rebasing: payload[Int(offset)..<Int(end)]) : nil
            guard body(type, bytes) else { return false }
            offset = end
        }
        return true
    }

    /// The bytes that a value of a serial type takes.
    static func byteCount(of type: UInt64) -> UInt64 {
        switch type {
        case 0...4: type
        case 5: 6
        case 6, 7: 8
        case 8...11: 0
        default: (type - 12) / 2
        }
    }

    static func isInteger(_ type: UInt64) -> Bool { type >= 1 && type <= 9 && type != 7 }
    static func isBlob(_ type: UInt64) -> Bool { type >= 12 && type % 2 == 0 }
    static func isBlob(_ type: UInt64, _ count: UInt64) -> Bool { type == 12 + 2 * count }

    private static func value(_ type: UInt64, _ bytes: UnsafeRawBufferPointer) -> Value {
        switch type {
        case 0: .null
        case 1...6: .integer(integer(bytes))
        case 8: .integer(0)
        case 9: .integer(1)
        case _ where isBlob(type): .blob([UInt8](bytes))
        default: .other
        }
    }

    /// Decodes a big-endian integer in two's complement.
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var value: Int64 = bytes.first.map { $0 & 0x80 != 0 } == true ? -1 : 0
        for byte in bytes { value = value << 8 | Int64(byte) }
        return value
    }

    /// Decodes an integer of one to nine bytes, with its length; nil where the bytes end in it.
    static func varint(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> (UInt64, Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard start + index < bytes.count else { return nil }
            let byte = bytes[start + index]
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }
}
