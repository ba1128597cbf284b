import ChatelaineModel
import Testing

@testable import StoreEngine

/// The arithmetic of the hash over all rows.
@Suite struct RowMultisetHashTests {
    @Test func sumsWrapAround() {
        var generator = SystemRandomNumberGenerator()
        var sum = UInt256()
        let terms = (0..<100).map { _ in
            let bytes = (0..<UInt256.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            return bytes.withUnsafeBytes { UInt256($0) }
        }
        for term in terms { sum &+= term }
        for term in terms.shuffled() { sum &-= term }
        #expect(sum == UInt256())
        let ones = [UInt8](repeating: 0xFF, count: UInt256.byteCount).withUnsafeBytes { UInt256($0) }
        let one = ([1] + [UInt8](repeating: 0, count: UInt256.byteCount - 1)).withUnsafeBytes { UInt256($0) }
        sum = ones
        sum &+= one
        #expect(sum == UInt256() && UInt256() &- one == ones)
        var bytes: [UInt8] = []
        ones.append(to: &bytes)
        #expect(bytes == [UInt8](repeating: 0xFF, count: UInt256.byteCount))
    }

    @Test func aHeadSurvivesItsEncoding() throws {
        var rows = RowMultisetHash()
        for bucket in 0..<RowMultisetHash.bucketCount {
            let bytes = [UInt8](repeating: UInt8(bucket), count: UInt256.byteCount)
            rows.insert(RowTerm(bucket: bucket, value: bytes.withUnsafeBytes { UInt256($0) }))
        }
        let head = IntegrityHead(after: Bytes16(repeating: 3), sequence: 1 << 40, rows: rows)
        #expect(head.encode().withUnsafeBytes { IntegrityHead($0) } == head)
        #expect(head.encode().dropLast().withUnsafeBytes { IntegrityHead($0) } == nil)
        #expect(rows.count == RowMultisetHash.bucketCount)
    }
}
