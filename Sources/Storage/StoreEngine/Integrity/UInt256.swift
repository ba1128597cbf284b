/// A wrapping integer of 256 bits, which is a sum of digests.
struct UInt256: Hashable, Sendable {
    static let byteCount = wordCount * MemoryLayout<UInt64>.size
    static let wordCount = 4

    /// The words, the lowest first.
    private var limbs: SIMD4<UInt64> = .zero

    init() {}

    /// Makes the number of four words, the lowest first.
    init(_ words: ArraySlice<UInt64>) {
        for (index, word) in words.prefix(Self.wordCount).enumerated() { limbs[index] = word }
    }

    subscript(index: Int) -> UInt64 { limbs[index] }

    /// Makes the number of 32 little-endian bytes; missing words count as 0.
    init(_ bytes: UnsafeRawBufferPointer) {
        for index in 0..<4 where bytes.count >= 8 * (index + 1) {
            limbs[index] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
    }

    static func &+= (sum: inout UInt256, other: UInt256) {
        var carry: UInt64 = 0
        for index in 0..<4 {
            let (partial, first) = sum.limbs[index].addingReportingOverflow(other.limbs[index])
            let (whole, second) = partial.addingReportingOverflow(carry)
            sum.limbs[index] = whole
            carry = first || second ? 1 : 0
        }
    }

    static func &-= (sum: inout UInt256, other: UInt256) {
        var borrow: UInt64 = 0
        for index in 0..<4 {
            let (partial, first) = sum.limbs[index].subtractingReportingOverflow(other.limbs[index])
            let (whole, second) = partial.subtractingReportingOverflow(borrow)
            sum.limbs[index] = whole
            borrow = first || second ? 1 : 0
        }
    }

    static func &- (first: UInt256, second: UInt256) -> UInt256 {
        var difference = first
        difference &-= second
        return difference
    }

    func append(to bytes: inout [UInt8]) {
        for index in 0..<4 { withUnsafeBytes(of: limbs[index].littleEndian) { bytes.append(contentsOf: $0) } }
    }
}
