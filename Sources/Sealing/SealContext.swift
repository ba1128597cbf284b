import ChatelaineModel

/// What a seal is bound to: purpose, key and place, whose deterministic CBOR becomes its associated data.
///
/// Format: `Documentation/formats/seals.md`.
public struct SealContext: Sendable {
    /// Version of the associated data's layout.
    static let format: UInt64 = 1

    private enum Place: Sendable {
        case row(RowContext)
        case keybag(ItemIdentifier, Accessibility)
    }

    private let purpose: SealPurpose
    private let keyID: UInt32
    private let place: Place

    /// For the seals and the wrapped key of a row.
    public init(_ purpose: SealPurpose, keyID: UInt32, row: RowContext) {
        self.purpose = purpose
        self.keyID = keyID
        place = .row(row)
    }

    /// For the keys of a keybag.
    public init(_ purpose: SealPurpose, keyID: UInt32, keybag: ItemIdentifier, accessibility: Accessibility) {
        self.purpose = purpose
        self.keyID = keyID
        place = .keybag(keybag, accessibility)
    }

    /// The associated data, lent.
    func withAssociatedData<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        var writer = CBORWriter(capacity: 128)
        switch place {
        case .row(let row):
            begin(&writer, count: 10, store: row.store)
            writer.write(UInt64(4)); writer.write(row.row.value)
            writer.write(UInt64(5)); writer.write(row.version)
            writer.write(UInt64(6)); writer.write(UInt64(row.itemClass.rawValue))
            writer.write(UInt64(7)); writer.write(UInt64(row.accessibility.rawValue))
            writer.write(UInt64(8)); writer.write(UInt64((row.isSynchronizable ? 1 : 0) | (row.isTombstone ? 2 : 0)))
            writer.write(UInt64(9)); writer.write(row.groupDigest)
        case .keybag(let keybag, let accessibility):
            begin(&writer, count: 5, store: keybag)
            writer.write(UInt64(7)); writer.write(UInt64(accessibility.rawValue))
        }
        return try writer.withUnsafeBytes(body)
    }

    private func begin(_ writer: inout CBORWriter, count: Int, store: ItemIdentifier) {
        writer.writeMap(count: count)
        writer.write(UInt64(0)); writer.write(Self.format)
        writer.write(UInt64(1)); writer.write(purpose.rawValue)
        writer.write(UInt64(2)); writer.write(store.value)
        writer.write(UInt64(3)); writer.write(UInt64(keyID))
    }
}
