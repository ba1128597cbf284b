import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import Sealing

/// Lengths: what is sealed tells its length in steps, costs little, and opens as it was.
@Suite struct PaddingTests {
    private let row = RowContext(
        store: StoreIdentifier(), row: ItemIdentifier(), version: 1, itemClass: .genericPassword,
        accessibility: .whenUnlocked, isSynchronizable: false, isTombstone: false,
        groupDigest: Bytes16(repeating: 1))
    private let key = SecretBytes([UInt8](repeating: 5, count: 32))

    private func sealed(_ content: SecretBytes, _ seal: RowSeal = .secret) throws -> [UInt8] {
        try SealingKey(key).seal(content, as: seal, keyID: 1, at: row)
    }

    private func opened(_ sealed: [UInt8], _ seal: RowSeal = .secret) throws -> SecretBytes {
        let key = try SealingKey(key)
        return try sealed.withUnsafeBytes { try key.open($0, as: seal, keyID: 1, at: row) }
    }

    /// Contents that end as padding does.
    private static func contents(of count: Int) -> [SecretBytes] {
        [
            SecretBytes([UInt8](repeating: 0, count: count)), SecretBytes([UInt8](repeating: 0x80, count: count)),
            SecretBytes((0..<count).map { UInt8(truncatingIfNeeded: $0) }),
        ]
    }

    @Test func paddingCostsATenthAtMostAndGrows() {
        var last = 0
        for count in 0...40_000 {
            let padded = Padding.byteCount(for: count)
            #expect(padded > count && padded >= last && padded.isMultiple(of: Padding.smallestStep))
            #expect(10 * (padded - count) <= count + Padding.overheadBytes)
            last = padded
        }
        let largest = Padding.byteCount(for: Limits.secretBytes)
        #expect(largest == 17 * 1024 * 1024)
        for size in [17, 20, 31] { #expect(Padding.byteCount(for: size) == 32) }
        #expect(Padding.byteCount(for: 0) == 16 && Padding.byteCount(for: 15) == 16 && Padding.byteCount(for: 16) == 32)
    }

    /// Each border between two steps and between two lengths, as far as they are small, and some further ones.
    @Test(arguments: [RowSeal.metadata, .secret])
    func everyLengthRoundTrips(_ seal: RowSeal) throws {
        var counts = Set(0...200)
        for border in [480, 1120, 2400, 4960, 10_080, 65_536] { counts.formUnion(border - 2...border + 2) }
        for step in [32, 64, 128] {
            for multiple in 4...12 { counts.formUnion([multiple * step - 1, multiple * step]) }
        }
        for count in counts {
            for content in Self.contents(of: count) {
                let seal1 = try sealed(content, seal)
                #expect(seal1.count == Padding.byteCount(for: count) + Sealing.overhead)
                #expect(try opened(seal1, seal) == content)
            }
        }
    }

    @Test func theLargestSecretRoundTrips() throws {
        for count in [Limits.secretBytes - 1, Limits.secretBytes] {
            let content = SecretBytes(count: count) { $0[count - 1] = 0x80 }
            #expect(try opened(try sealed(content)) == content)
        }
    }

    /// What format 2 sealed, its length chance or not, opens as it was; neither is ever taken for the other.
    @Test(arguments: [0, 1, 15, 16, 17, 32, 48, 64, 160, 512])
    func unpaddedSealsOpen(_ count: Int) throws {
        for content in Self.contents(of: count) {
            let old = try SealingKey(key).seal(content, for: SealContext(.secret, keyID: 1, row: row))
            #expect(old.count == count + Sealing.overhead)
            #expect(try opened(old) == content)
            // Under another purpose, place or key number it is nothing.
            #expect(throws: KeychainError(.decode, "")) { try opened(old, .metadata) }
            // An old content that happens to be padded stays as long as it was.
            let padded = Padding.padded(content)
            let looksPadded = try SealingKey(key).seal(padded, for: SealContext(.secret, keyID: 1, row: row))
            #expect(try opened(looksPadded) == padded)
        }
    }

    @Test func theTwoSealsAreApart() throws {
        let content = SecretBytes(Array("swordfish".utf8))
        #expect(throws: KeychainError(.decode, "")) { try opened(try sealed(content, .metadata), .secret) }
        #expect(throws: KeychainError(.decode, "")) { try opened(try sealed(content, .secret), .metadata) }
    }

    /// Sealed by us, and still nothing: a content without an end.
    @Test(arguments: [[UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 32)])
    func whatHasNoPaddingIsDamaged(_ content: [UInt8]) throws {
        let sealed = try SealingKey(key).seal(
            SecretBytes(content), for: SealContext(.paddedSecret, keyID: 1, row: row))
        #expect(throws: KeychainError(.decode, "")) { try opened(sealed) }
    }

    @Test func everyByteOfAPaddedSealCounts() throws {
        let sealed = try sealed(SecretBytes(Array("swordfish".utf8)))
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: KeychainError(.decode, "")) { try opened(damaged) }
            #expect(throws: KeychainError(.decode, "")) { try opened(Array(sealed.prefix(index))) }
        }
    }
}
