/// A digest of all rows of a store, updated row by row.
///
/// Each row has a ``RowTerm``, a keyed digest of it. The terms are summed modulo 2^256, in 64 buckets, with their count
/// (the MSet-Add-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, ASIACRYPT 2003). Adding or removing a row costs
/// one addition. Without the key and the sums, which are sealed, nobody can find another set of rows with the same
/// sums.
///
/// Sixty-four buckets fit into the page that each change writes anyway, so that they cost no additional write.
struct RowMultisetHash: Equatable, Sendable {
    static let bucketCount = 64
    static let byteCount = bucketCount * wordsPerBucket * MemoryLayout<UInt64>.size
    /// Four words of the sum, the lowest first, and one of the count.
    private static let wordsPerBucket = UInt256.wordCount + 1

    struct Bucket: Equatable, Sendable {
        var sum: UInt256
        /// The number of rows; negative where more rows were removed than the bucket had.
        var count: Int
    }

    /// All buckets in one array, since every change writes them.
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

    /// The number of rows in all buckets.
    var count: Int { (0..<Self.bucketCount).reduce(0) { $0 &+ self[$1].count } }

    /// The buckets in which two sets of rows differ.
    func differences(from other: RowMultisetHash) -> [Int] { (0..<Self.bucketCount).filter { self[$0] != other[$0] } }

    func append(to bytes: inout [UInt8]) {
        #if _endian(little)
            words.withUnsafeBytes { bytes.append(contentsOf: $0) }
        #else
            // A closure, since a key path would be evaluated word by word at run time.
            words.map { $0.littleEndian }.withUnsafeBytes { bytes.append(contentsOf: $0) }
        #endif
    }

    /// Decodes exactly ``byteCount`` bytes; nil for another length.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        for index in words.indices {
            words[index] = UInt64(
                littleEndian: bytes.loadUnaligned(
                    fromByteOffset: index * MemoryLayout<UInt64>.size, as: UInt64.self))
        }
    }
}

/// The contribution of one row to a ``RowMultisetHash``.
package struct RowTerm: Hashable, Sendable {
    /// The bucket, from the first bits of the row's random identifier; every version of a row has the same.
    let bucket: Int
    let value: UInt256
}
