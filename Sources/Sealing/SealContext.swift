import ChatelaineModel

/// What a seal is bound to: purpose, key and place, as the deterministic CBOR that becomes its associated data.
///
/// Format: `Documentation/formats/seals.md`.
public struct SealContext: Sendable {
    /// Version of the associated data's layout.
    static let format: UInt64 = 1

    public let associatedData: [UInt8]

    /// For the seals and the wrapped key of a row.
    public init(_ purpose: SealPurpose, keyID: UInt32, row: RowContext) {
        var writer = CBORWriter(capacity: 128)
        writer.writeMap(count: 10)
        writer.write(UInt64(0)); writer.write(Self.format)
        writer.write(UInt64(1)); writer.write(purpose.rawValue)
        writer.write(UInt64(2)); writer.write(row.store.bytes)
        writer.write(UInt64(3)); writer.write(UInt64(keyID))
        writer.write(UInt64(4)); writer.write(row.row.bytes)
        writer.write(UInt64(5)); writer.write(row.version)
        writer.write(UInt64(6)); writer.write(UInt64(row.itemClass.rawValue))
        writer.write(UInt64(7)); writer.write(UInt64(row.accessibility.rawValue))
        writer.write(UInt64(8)); writer.write(UInt64((row.isSynchronizable ? 1 : 0) | (row.isTombstone ? 2 : 0)))
        writer.write(UInt64(9)); writer.write(row.groupDigest)
        associatedData = writer.finishArray()
    }

    /// For the keys of a keybag.
    public init(_ purpose: SealPurpose, keyID: UInt32, keybag: ItemIdentifier, accessibility: Accessibility) {
        var writer = CBORWriter(capacity: 64)
        writer.writeMap(count: 5)
        writer.write(UInt64(0)); writer.write(Self.format)
        writer.write(UInt64(1)); writer.write(purpose.rawValue)
        writer.write(UInt64(2)); writer.write(keybag.bytes)
        writer.write(UInt64(3)); writer.write(UInt64(keyID))
        writer.write(UInt64(7)); writer.write(UInt64(accessibility.rawValue))
        associatedData = writer.finishArray()
    }
}
