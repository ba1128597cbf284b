import ChatelaineModel
import Testing

@testable import StoreEngine

/// The arithmetic of what all rows come to.
@Suite struct RowMultisetTests {
    @Test func sumsWrapAround() {
        var generator = SystemRandomNumberGenerator()
        var sum = WideSum()
        let terms = (0..<100).map { _ in
            let bytes = (0..<WideSum.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            return bytes.withUnsafeBytes { WideSum($0) }
        }
        for term in terms { sum &+= term }
        for term in terms.shuffled() { sum &-= term }
        #expect(sum == WideSum())
        let ones = [UInt8](repeating: 0xFF, count: WideSum.byteCount).withUnsafeBytes { WideSum($0) }
        let one = ([1] + [UInt8](repeating: 0, count: WideSum.byteCount - 1)).withUnsafeBytes { WideSum($0) }
        sum = ones
        sum &+= one
        #expect(sum == WideSum() && WideSum() &- one == ones)
        var bytes: [UInt8] = []
        ones.append(to: &bytes)
        #expect(bytes == [UInt8](repeating: 0xFF, count: WideSum.byteCount))
    }

    @Test func aHeadSurvivesItsEncoding() throws {
        var rows = RowMultiset()
        for bucket in 0..<RowMultiset.bucketCount {
            let bytes = [UInt8](repeating: UInt8(bucket), count: WideSum.byteCount)
            rows.insert(RowTerm(bucket: bucket, value: bytes.withUnsafeBytes { WideSum($0) }))
        }
        let head = IntegrityHead(after: Bytes16(repeating: 3), sequence: 1 << 40, rows: rows)
        #expect(head.encode().withUnsafeBytes { IntegrityHead($0) } == head)
        #expect(head.encode().dropLast().withUnsafeBytes { IntegrityHead($0) } == nil)
        #expect(rows.count == RowMultiset.bucketCount)
    }
}
