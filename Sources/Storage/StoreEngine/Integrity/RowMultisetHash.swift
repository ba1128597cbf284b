/// A digest of all rows of a store that is kept up to date row by row.
///
/// Each row has a ``RowTerm``, a keyed digest of it; the terms are summed up modulo 2^256, in 64 buckets, with their count (the
/// MSet-Add-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, ASIACRYPT 2003). Adding or removing a row costs one addition. Whoever has
/// neither the key nor the sums, which are sealed, cannot find another set of rows with the same sums.
///
/// Sixty-four buckets and no more: they fit into the page that each change writes anyway, so that they cost no write.
struct RowMultisetHash: Equatable, Sendable {
    static let bucketCount = 64
    static let byteCount = bucketCount * wordsPerBucket * MemoryLayout<UInt64>.size
    /// Four of the sum, the lowest first, and the count.
    private static let wordsPerBucket = UInt256.wordCount + 1

    struct Bucket: Equatable, Sendable {
        var sum: UInt256
        /// Below 0 where more rows were taken away than there were.
        var count: Int
    }

    /// All buckets, in one piece, since every change writes them.
    private var words = [UInt64](repeating: 0, count: bucketCount * wordsPerBucket)

    init() {}

    subscript(bucket: Int) -> Bucket {
        let start = bucket * Self.wordsPerBucket
        return Bucket(
            sum: UInt256(words[start..<start + UInt256.wordCount]),
            count: Int(truncatingIfNeeded: words[start + UInt256.wordCount]))
    }

    mutating func insert(_ term: RowTerm) { add(term.value, 1, to: term.bucket) }

    mutating func remove(_ term: RowTerm) { add(UInt256() &- term.value, .max, to: term.bucket) }

    private mutating func add(_ value: UInt256, _ count: UInt64, to bucket: Int) {
        let start = bucket * Self.wordsPerBucket
        var sum = UInt256(words[start..<start + UInt256.wordCount])
        sum &+= value
        for index in 0..<UInt256.wordCount { words[start + index] = sum[index] }
        words[start + UInt256.wordCount] &+= count
    }

    /// The rows in it.
    var count: Int { (0..<Self.bucketCount).reduce(0) { $0 &+ self[$1].count } }

    /// The buckets in which two sets of rows differ.
    func differences(from other: RowMultisetHash) -> [Int] { (0..<Self.bucketCount).filter { self[$0] != other[$0] } }

    func append(to bytes: inout [UInt8]) {
        // A closure: a key path would be gone through word by word at run time.
        words.map { $0.littleEndian }.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Nil unless there are exactly ``byteCount`` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        for index in words.indices {
            words[index] = UInt64(
                littleEndian: bytes.loadUnaligned(
                    fromByteOffset: index * MemoryLayout<UInt64>.size, as: UInt64.self))
        }
    }
}

/// What one row adds to a ``RowMultisetHash``.
package struct RowTerm: Hashable, Sendable {
    /// By the first bits of the row's identifier, which is random: every version of a row has the same.
    let bucket: Int
    let value: UInt256
}
