import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import Sealing

/// A seal opens only with its own key and context.
@Suite struct SealingKeyTests {
    private let row = RowContext(
        store: StoreIdentifier(), row: ItemIdentifier(), version: 1, itemClass: .genericPassword,
        accessibility: .whenUnlocked, isSynchronizable: false, isTombstone: false,
        groupDigest: Bytes16(repeating: 1))
    private let key = SecretBytes([UInt8](repeating: 5, count: 32))
    private let content = SecretBytes(Array("swordfish".utf8))

    private func opens(_ sealed: [UInt8], _ context: SealContext, _ key: SecretBytes) -> Result<
        SecretBytes, KeychainError
    > {
        sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try SealingKey(key).open(bytes, for: context) }
        }
    }

    @Test func roundTrip() throws {
        let context = SealContext(.secret, keyID: 1, row: row)
        let sealed = try SealingKey(key).seal(content, for: context)
        #expect(sealed.count == content.count + Sealing.overhead)
        #expect(try opens(sealed, context, key).get() == content)
        #expect(try SealingKey(key).seal(content, for: context) != sealed, "a nonce came twice")
    }

    /// What was in the buffer stays there, whether the seal opens or not.
    @Test func contentIsAppended() throws {
        let context = SealContext(.secret, keyID: 1, row: row)
        let sealed = try SealingKey(key).seal(content, for: context)
        let padded = try SealingKey(key).seal(content, as: .secret, keyID: 1, at: row)
        var buffer = SecretBuffer(capacity: 8)
        func append(_ seal: [UInt8], _ open: (UnsafeRawBufferPointer, inout SecretBuffer) throws -> Void) -> Bool {
            seal.withUnsafeBytes { bytes in (try? open(bytes, &buffer)) != nil }
        }
        let key = try SealingKey(key)
        #expect(append(sealed) { try key.open($0, for: context, into: &$1) })
        #expect(append(padded) { try key.open($0, as: .secret, keyID: 1, at: row, into: &$1) })
        #expect(!append(padded) { try key.open($0, as: .metadata, keyID: 1, at: row, into: &$1) })
        #expect(!append(sealed.dropLast() + [sealed[0] ^ 1]) { try key.open($0, for: context, into: &$1) })
        #expect(!append([1, 2, 3]) { try key.open($0, for: context, into: &$1) })
        // Opened as if it were padded, it is refused once it is decrypted.
        #expect(!append(sealed) { try key.openPadded($0, for: context, into: &$1) })
        let twice = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(twice == "swordfishswordfish")
    }

    @Test func aPreparedKeyReplacesAnother() throws {
        let context = SealContext(.secret, keyID: 1, row: row)
        let other = SecretBytes([UInt8](repeating: 6, count: 32))
        let sealed = try SealingKey(other).seal(content, for: context)
        var place: SealingKey?
        for bytes in [key, other] {
            let prepared = try bytes.withUnsafeBytes { try SealingKey.prepare($0, in: &place) }
            let isOpened = sealed.withUnsafeBytes { (try? prepared.open($0, for: context)) != nil }
            #expect(isOpened == (bytes == other))
        }
        #expect(throws: KeychainError(.decode, "")) {
            try [UInt8](repeating: 1, count: 31).withUnsafeBytes { try SealingKey.prepare($0, in: &place) }
        }
        #expect(place == nil)
    }

    @Test func everyFieldOfTheContextCounts() throws {
        let sealed = try SealingKey(key).seal(content, for: SealContext(.secret, keyID: 1, row: row))
        for changed in Self.variations(of: row) {
            #expect(opens(sealed, SealContext(.secret, keyID: 1, row: changed), key) == .failure(.init(.decode, "")))
        }
        #expect(opens(sealed, SealContext(.secret, keyID: 2, row: row), key) == .failure(.init(.decode, "")))
        #expect(opens(sealed, SealContext(.metadata, keyID: 1, row: row), key) == .failure(.init(.decode, "")))
    }

    /// The attributes state the constraints, so they are opened before the constraints are known.
    @Test(arguments: [SealPurpose.secret, .paddedSecret, .rowKey, .metadata, .paddedMetadata])
    func constraintsBindSecretsAndRowKeys(purpose: SealPurpose) throws {
        var constrained = row
        constrained.constraints = AccessConstraints()
        constrained.constraints?.otherwise = .userPresence
        var other = constrained
        other.constraints?.otherwise = .devicePasscode
        let contexts = [row, constrained, other].map { SealContext(purpose, keyID: 1, row: $0) }
        let isBound = purpose != .metadata && purpose != .paddedMetadata
        #expect(Set(contexts.map { $0.withAssociatedData { [UInt8]($0) } }).count == (isBound ? 3 : 1))
    }

    @Test func keybagContextsDiffer() {
        let (one, two) = (KeybagIdentifier(), KeybagIdentifier())
        let contexts = [
            SealContext(.classKey, keyID: 1, keybag: one, accessibility: .always),
            SealContext(.metadataKey, keyID: 1, keybag: one, accessibility: .always),
            SealContext(.classKey, keyID: 2, keybag: one, accessibility: .always),
            SealContext(.classKey, keyID: 1, keybag: two, accessibility: .always),
            SealContext(.classKey, keyID: 1, keybag: one, accessibility: .whenUnlocked),
        ]
        #expect(Set(contexts.map { $0.withAssociatedData { [UInt8]($0) } }).count == contexts.count)
    }

    /// `Documentation/formats/seals.md` in code, written by the encoder of all other formats.
    @Test(arguments: [1, 23, 24, 255, 256, 65_535, 65_536, 1 << 32, UInt64.max])
    func associatedDataIsDeterministicCBOR(number: UInt64) {
        var row = row
        row.version = number
        row.isTombstone = true
        let keyID = UInt32(truncatingIfNeeded: number)
        var writer = CBORWriter()
        writer.writeMap(count: 10)
        writer.write(0); writer.write(1)
        writer.write(1); writer.write(SealPurpose.secret.rawValue)
        writer.write(2); writer.write(row.store.bytes)
        writer.write(3); writer.write(UInt64(keyID))
        writer.write(4); writer.write(row.row.bytes)
        writer.write(5); writer.write(number)
        writer.write(6); writer.write(UInt64(row.itemClass.rawValue))
        writer.write(7); writer.write(UInt64(row.accessibility.rawValue))
        writer.write(8); writer.write(2)
        writer.write(9); writer.write(row.groupDigest.array)
        let written = SealContext(.secret, keyID: keyID, row: row).withAssociatedData { [UInt8]($0) }
        let expected = writer.finishArray()
        #expect(written == expected)

        var short = CBORWriter()
        short.writeMap(count: 5)
        short.write(0); short.write(1)
        short.write(1); short.write(SealPurpose.classKey.rawValue)
        short.write(2); short.write(row.store.bytes)
        short.write(3); short.write(UInt64(keyID))
        short.write(7); short.write(UInt64(Accessibility.always.rawValue))
        let keybag = SealContext(
            .classKey, keyID: keyID, keybag: KeybagIdentifier(row.store.value), accessibility: .always)
        let expectedShort = short.finishArray()
        #expect(keybag.withAssociatedData { [UInt8]($0) } == expectedShort)
    }

    @Test func headersOfKeychainsAreBound() {
        var writer = CBORWriter()
        writer.writeMap(count: 5)
        writer.write(0); writer.write(1)
        writer.write(1); writer.write(13)
        writer.write(2); writer.write(row.store.bytes)
        writer.write(3); writer.write(0)
        writer.write(11); writer.write([UInt8](repeating: 7, count: 300))
        let expected = writer.finishArray()
        let context = SealContext(
            .keychainMasterKey, keychain: row.store, header: [UInt8](repeating: 7, count: 300))
        #expect(context.withAssociatedData { [UInt8]($0) } == expected)
    }

    @Test func everyByteOfASealCounts() throws {
        let context = SealContext(.secret, keyID: 1, row: row)
        let sealed = try SealingKey(key).seal(content, for: context)
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(opens(damaged, context, key) == .failure(.init(.decode, "")))
            #expect(opens(Array(sealed.prefix(index)), context, key) == .failure(.init(.decode, "")))
        }
        #expect(opens(sealed, context, SecretBytes([UInt8](repeating: 6, count: 32))) == .failure(.init(.decode, "")))
    }

    @Test(arguments: [0, 16, 31, 33]) func keysHaveOneLength(count: Int) {
        #expect(throws: KeychainError(.decode, "")) { try SealingKey(SecretBytes([UInt8](repeating: 0, count: count))) }
    }

    @Test func keyedDigestMatchesRFC4231() {
        // Test case 2 of RFC 4231.
        let digest = KeyedDigest(SecretBytes(Array("Jefe".utf8)))
        let content = Array("what do ya want for nothing?".utf8)
        let whole = content.withUnsafeBytes { digest.digest($0) }
        #expect(whole.prefix(4) == [0x5b, 0xdc, 0xc1, 0x46] && whole.suffix(4) == [0x64, 0xec, 0x38, 0x43])
        #expect(content.withUnsafeBytes { digest.shortDigest($0) }.array == Array(whole.prefix(16)))
    }

    /// `row` with one field changed, for every field.
    static func variations(of row: RowContext) -> [RowContext] {
        let changes: [(inout RowContext) -> Void] = [
            { $0.store = StoreIdentifier() }, { $0.row = ItemIdentifier() }, { $0.version += 1 },
            { $0.itemClass = .internetPassword }, { $0.accessibility = .afterFirstUnlock },
            { $0.isSynchronizable.toggle() }, { $0.isTombstone.toggle() }, { $0.groupDigest = Bytes16(repeating: 2) },
            { $0.constraints = AccessConstraints() },
        ]
        return changes.map { change in
            var changed = row
            change(&changed)
            return changed
        }
    }
}
