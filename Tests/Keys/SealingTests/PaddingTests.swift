import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import Sealing

/// Sealed content reveals its length only in steps, costs little space, and opens unchanged.
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

    /// Contents whose ends look like padding.
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

    /// The lengths around each small step, and around some larger ones.
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

    /// Seals of format 2 open unchanged, whatever their length, and the two forms are never confused.
    @Test(arguments: [0, 1, 15, 16, 17, 32, 48, 64, 160, 512])
    func unpaddedSealsOpen(_ count: Int) throws {
        for content in Self.contents(of: count) {
            let old = try SealingKey(key).seal(content, for: SealContext(.secret, keyID: 1, row: row))
            #expect(old.count == count + Sealing.overhead)
            #expect(try opened(old) == content)
            // The seal does not open under another purpose, place or key number.
            #expect(throws: KeychainError(.decode, "")) { try opened(old, .metadata) }
            // An old content that looks padded keeps its length.
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

    /// The seal is valid, but its content has no padding.
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
