/// Takes small values from the front of an input, and zeroes after its end, so that every input is meaningful.
struct Intake {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isEmpty: Bool { offset == bytes.count }

    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    /// Takes up to `count` bytes, fewer at the end.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
        let end = min(bytes.count, offset + count)
        defer { offset = end }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }

    /// Takes a length of one byte, and that many bytes.
    mutating func piece() -> UnsafeRawBufferPointer { take(Int(byte())) }

    mutating func text() -> String { String(decoding: piece(), as: UTF8.self) }

    mutating func rest() -> UnsafeRawBufferPointer { take(bytes.count) }
}
