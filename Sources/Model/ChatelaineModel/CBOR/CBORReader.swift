import ChatelaineMemory

/// Reads the deterministic subset of CBOR from bytes that outlive it, and refuses everything else.
///
/// It allocates nothing by a length in the input before it has seen that many bytes. All methods throw ``CBORError``.
@usableFromInline
package struct CBORReader {
    /// The deepest nesting of arrays and maps; our deepest value, an access object, has seven levels.
    package static let maximumDepth = 16

    @usableFromInline
    let bytes: UnsafeRawBufferPointer
    @usableFromInline
    package internal(set) var offset = 0

    /// A reader of `bytes`, which must stay valid while the reader is used.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @usableFromInline
    package var isAtEnd: Bool { offset == bytes.count }

    /// Throws unless all bytes were read.
    package func finish() throws(CBORError) { guard isAtEnd else { throw .trailingBytes } }

    /// The type of the next value, without consuming it.
    @inline(__always)
    package func peek() throws(CBORError) -> CBORMajorType {
        guard offset < bytes.count else { throw .truncated }
        guard let type = CBORMajorType(rawValue: bytes[offset] >> 5) else { throw .unsupported }
        return type
    }

    /// Whether the next value is null; consumes it if so.
    package mutating func readNull() throws(CBORError) -> Bool {
        guard offset < bytes.count else { throw .truncated }
        guard bytes[offset] == 0xF6 else { return false }
        offset += 1
        return true
    }

    package mutating func readBool() throws(CBORError) -> Bool {
        guard offset < bytes.count else { throw .truncated }
        let byte = bytes[offset]
        guard byte == 0xF4 || byte == 0xF5 else { throw .unexpectedType }
        offset += 1
        return byte == 0xF5
    }

    @inlinable
    package mutating func readUnsigned() throws(CBORError) -> UInt64 {
        // Most numbers are small keys, and a small number is the byte itself.
        if offset < bytes.count, bytes[offset] < 24 {
            offset += 1
            return UInt64(bytes[offset - 1])
        }
        return try readLargeUnsigned()
    }

    @usableFromInline
    mutating func readLargeUnsigned() throws(CBORError) -> UInt64 {
        let (type, argument) = try head()
        guard type == .unsigned else { throw .unexpectedType }
        return argument
    }

    /// Whether the next value is this number; consumes it if so.
    @inlinable
    mutating func readUnsigned(_ expected: UInt64) throws(CBORError) -> Bool {
        let start = offset
        guard try readUnsigned() == expected else {
            offset = start
            return false
        }
        return true
    }

    package mutating func readInteger() throws(CBORError) -> Int64 {
        let (type, argument) = try head()
        guard type == .unsigned || type == .negative else { throw .unexpectedType }
        guard let value = Int64(exactly: argument) else { throw .outOfRange }
        return type == .unsigned ? value : ~value
    }

    /// An integer that must lie in `range`.
    package mutating func readInt(in range: ClosedRange<Int>) throws(CBORError) -> Int {
        let value = try readInteger()
        guard let value = Int(exactly: value), range.contains(value) else { throw .outOfRange }
        return value
    }

    package mutating func readDouble() throws(CBORError) -> Double {
        guard offset < bytes.count else { throw .truncated }
        guard bytes[offset] == 0xFB else {
            throw bytes[offset] == 0xF9 || bytes[offset] == 0xFA ? .notShortest : .unexpectedType
        }
        guard bytes.count - offset >= 9 else { throw .truncated }
        let pattern = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
        offset += 9
        return Double(bitPattern: UInt64(bigEndian: pattern))
    }

    /// A byte string, borrowed: it is valid as long as the reader's bytes are.
    package mutating func readBytes() throws(CBORError) -> UnsafeRawBufferPointer {
        let (type, argument) = try head()
        guard type == .bytes else { throw .unexpectedType }
        return try take(argument)
    }

    package mutating func readArray() throws(CBORError) -> [UInt8] { [UInt8](try readBytes()) }

    /// A byte string of exactly `count` bytes.
    package mutating func readArray(count: Int) throws(CBORError) -> [UInt8] {
        let bytes = try readBytes()
        guard bytes.count == count else { throw .outOfRange }
        return [UInt8](bytes)
    }

    package mutating func readSecret() throws(CBORError) -> SecretBytes { SecretBytes(copying: try readBytes()) }

    package mutating func readText() throws(CBORError) -> String {
        let utf8 = try readTextBytes()
        // Text is nearly always ASCII, which is valid UTF-8.
        if Self.isASCII(utf8) { return String(decoding: utf8, as: UTF8.self) }
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .invalidText }
        return text
    }

    /// The bytes of a text, borrowed like those of ``readBytes()``; they are not checked to be UTF-8.
    package mutating func readTextBytes() throws(CBORError) -> UnsafeRawBufferPointer {
        let (type, argument) = try head()
        guard type == .text else { throw .unexpectedType }
        return try take(argument)
    }

    /// The number of values in the array that starts here.
    @usableFromInline
    package mutating func readArrayCount(limit: Int) throws(CBORError) -> Int { try readCount(.array, limit: limit) }

    /// The number of pairs in the map that starts here.
    package mutating func readMapCount(limit: Int) throws(CBORError) -> Int { try readCount(.map, limit: limit) }

    /// Skips one value of any type, and checks it.
    ///
    /// - Parameter depth: how many arrays and maps contain the value.
    package mutating func skip(depth: Int = 0) throws(CBORError) {
        let type = try peek()
        guard depth < Self.maximumDepth || (type != .array && type != .map) else { throw .limitExceeded }
        switch type {
        case .unsigned, .negative: _ = try head()
        case .bytes: _ = try readBytes()
        case .text:
            let utf8 = try readTextBytes()
            guard Self.isASCII(utf8) || String(validating: utf8, as: UTF8.self) != nil else { throw .invalidText }
        case .array:
            for _ in 0..<(try readArrayCount(limit: .max)) { try skip(depth: depth + 1) }
        case .map:
            var previous: UnsafeRawBufferPointer?
            for _ in 0..<(try readMapCount(limit: .max)) {
                let start = offset
                try skip(depth: depth + 1)
                let key = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                if let previous, !previous.lexicographicallyPrecedes(key) { throw .unorderedKeys }
                previous = key
                try skip(depth: depth + 1)
            }
        case .simple:
            if bytes[offset] == 0xFB {
                _ = try readDouble()
            } else if try !readNull() {
                do { _ = try readBool() } catch .unexpectedType {
                    throw bytes[offset] == 0xF9 || bytes[offset] == 0xFA ? .notShortest : .unsupported
                }
            }
        }
    }

    /// The encoding of the next value, checked and borrowed.
    package mutating func readEncoded() throws(CBORError) -> UnsafeRawBufferPointer {
        let start = offset
        try skip()
        return bytes(from: start)
    }

    /// The bytes that were read since `start`, borrowed.
    func bytes(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<offset]) }

    private mutating func readCount(_ expected: CBORMajorType, limit: Int) throws(CBORError) -> Int {
        let (type, argument) = try head()
        guard type == expected else { throw .unexpectedType }
        guard argument <= UInt64(limit) else { throw .limitExceeded }
        // Each value takes at least a byte, so a larger count is false; this is found before any allocation.
        guard argument <= UInt64(bytes.count - offset) else { throw .truncated }
        return Int(argument)
    }

    private mutating func take(_ count: UInt64) throws(CBORError) -> UnsafeRawBufferPointer {
        guard count <= UInt64(bytes.count - offset) else { throw .truncated }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(count))])
        offset += Int(count)
        return piece
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var seen: UInt64 = 0
        var index = 0
        while bytes.count - index >= 8 {
            seen |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            seen |= UInt64(bytes[index])
            index += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    private mutating func head() throws(CBORError) -> (CBORMajorType, UInt64) {
        let type = try peek()
        let info = bytes[offset] & 0x1F
        // Floating-point and simple values have methods of their own.
        guard type != .simple else { throw .unexpectedType }
        if info < 24 {
            offset += 1
            return (type, UInt64(info))
        }
        return (type, try readArgument(info))
    }

    private mutating func readArgument(_ info: UInt8) throws(CBORError) -> UInt64 {
        guard info <= 27 else { throw .unsupported }
        let width = 1 << Int(info - 24)
        guard bytes.count - offset > width else { throw .truncated }
        let place = offset + 1
        let (argument, smallest): (UInt64, UInt64) =
            switch width {
            case 1: (UInt64(bytes[place]), 24)
            case 2: (UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))), 1 << 8)
            case 4: (UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))), 1 << 16)
            default: (UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)), 1 << 32)
            }
        guard argument >= smallest else { throw .notShortest }
        offset += 1 + width
        return argument
    }
}
