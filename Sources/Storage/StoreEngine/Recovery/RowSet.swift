/// A set of row ids as its count and a sum of hashes, which compares sets that are too large to be kept.
struct RowSet: Hashable, Sendable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    mutating func insert(_ row: Int64) {
        count += 1
        // The final steps of SplitMix64, so that neighbouring ids do not cancel each other out.
        var hash = UInt64(bitPattern: row) &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        sum &+= hash ^ (hash >> 31)
    }

    mutating func formUnion(_ other: RowSet) {
        count += other.count
        sum &+= other.sum
    }
}
