import ChatelaineMemory

/// Writes the deterministic subset of CBOR (RFC 8949, section 4.2.1) that this project uses.
///
/// Lengths and integers take their shortest form, lengths are definite, and floating-point numbers are always 64 bits
/// wide. The caller writes the keys of a map in ascending order of their encodings; ``CBORReader`` refuses other
/// orders.
@usableFromInline
package struct CBORWriter: ~Copyable {
    @usableFromInline
    var buffer: SecretBuffer
    /// The map to which fields are being written.
    @usableFromInline
    var map = OpenMap(start: 0)

    package init(capacity: Int = 512) { buffer = SecretBuffer(capacity: capacity) }

    /// Writes to `memory`, without allocation while it is large enough.
    package init(lent memory: UnsafeMutableRawBufferPointer) { buffer = SecretBuffer(lent: memory) }

    package var count: Int { buffer.count }

    @inlinable
    package mutating func write(_ value: UInt64) { head(.unsigned, value) }

    package mutating func write(_ value: Int64) {
        if value >= 0 { head(.unsigned, UInt64(value)) } else { head(.negative, UInt64(~value)) }
    }

    package mutating func write(_ value: Int) { write(Int64(value)) }

    package mutating func write(_ value: Bool) { buffer.append(value ? 0xF5 : 0xF4) }

    package mutating func writeNull() { buffer.append(0xF6) }

    package mutating func write(_ value: Double) {
        buffer.append(0xFB)
        buffer.append(value.bitPattern, width: 8)
    }

    package mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            head(.text, UInt64(utf8.count))
            buffer.append(UnsafeRawBufferPointer(utf8))
        }
    }

    @inlinable
    package mutating func write(_ bytes: UnsafeRawBufferPointer) {
        head(.bytes, UInt64(bytes.count))
        buffer.append(bytes)
    }

    package mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    @inlinable
    package mutating func write(_ bytes: Bytes16) {
        head(.bytes, UInt64(Bytes16.count))
        buffer.append(bytes.first, bytes.second)
    }

    package mutating func write(_ secret: SecretBytes) { secret.withUnsafeBytes { write($0) } }

    /// Writes the head of an array; exactly `count` values have to follow.
    @usableFromInline
    package mutating func writeArray(count: Int) { head(.array, UInt64(count)) }

    /// Writes the head of a map; exactly `count` pairs of key and value have to follow, keys ascending.
    package mutating func writeMap(count: Int) { head(.map, UInt64(count)) }

    /// Appends bytes that are CBOR already.
    package mutating func appendEncoded(_ bytes: UnsafeRawBufferPointer) { buffer.append(bytes) }

    package mutating func appendEncoded(_ bytes: [UInt8]) { bytes.withUnsafeBytes { appendEncoded($0) } }

    /// Overwrites bytes already written, such as a place kept for a frame's length.
    package mutating func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        buffer.overwrite(at: offset, with: bytes)
    }

    /// Wipes what was written and starts anew.
    package mutating func reset() { buffer.reset() }

    package borrowing func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        try buffer.withUnsafeBytes(body)
    }

    package consuming func finish() -> SecretBytes { buffer.finish() }

    /// The encoding as an array, for content that is not secret.
    package consuming func finishArray() -> [UInt8] { buffer.withUnsafeBytes { [UInt8]($0) } }

    // MARK: Maps by their fields

    /// The start of a map, and its fields so far.
    @usableFromInline
    struct OpenMap {
        @usableFromInline let start: Int
        @usableFromInline var fields: UInt8 = 0
        @usableFromInline var last: UInt64 = 0

        @usableFromInline
        init(start: Int) { self.start = start }
    }

    /// Reserves a byte for the head of a map, and returns the enclosing map.
    @usableFromInline
    mutating func beginMap() -> OpenMap {
        let outer = map
        map = OpenMap(start: buffer.count)
        buffer.append(0)
        return outer
    }

    @usableFromInline
    mutating func endMap(_ outer: OpenMap) {
        buffer.overwrite(at: map.start, with: CBORMajorType.map.rawValue << 5 | map.fields)
        map = outer
    }

    @inlinable
    @inline(__always)
    mutating func writeKey(_ key: UInt64) {
        // The declaration of a message decides both, never its content.
        assert(map.fields == 0 || key > map.last, "fields are written in the order of their numbers")
        assert(map.fields < Self.maximumFields, "more fields than fit into the head of a map")
        map.fields += 1
        map.last = key
        head(.unsigned, key)
    }

    /// Nearly every head is of one byte, which takes fewer instructions than a call.
    @inlinable
    @inline(__always)
    mutating func head(_ major: CBORMajorType, _ argument: UInt64) {
        if argument < 24 {
            buffer.append(major.rawValue << 5 | UInt8(truncatingIfNeeded: argument))
        } else {
            longHead(major, argument)
        }
    }

    @usableFromInline
    mutating func longHead(_ major: CBORMajorType, _ argument: UInt64) {
        let (info, width): (UInt8, Int) =
            switch argument {
            case ...0xFF: (24, 1)
            case ...0xFFFF: (25, 2)
            case ...0xFFFF_FFFF: (26, 4)
            default: (27, 8)
            }
        buffer.append(major.rawValue << 5 | info)
        buffer.append(argument, width: width)
    }
}
