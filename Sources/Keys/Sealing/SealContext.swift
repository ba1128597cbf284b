import ChatelaineModel

/// The context to which a seal is bound: purpose, key and place.
///
/// Its deterministic CBOR is the associated data of the seal. Format: `Documentation/formats/seals.md`.
package struct SealContext: Sendable {
    /// The version of the associated data's layout.
    static let format: UInt64 = 1

    private enum Place: Sendable {
        case row(RowContext)
        case keybag(KeybagIdentifier, Accessibility)
        case store(StoreIdentifier)
        case wholeKeybag(KeybagIdentifier)
        case keychain(StoreIdentifier, header: [UInt8])
    }

    private let purpose: SealPurpose
    private let keyID: UInt32
    private let place: Place

    /// The context of the seals and the wrapped key of a row.
    package init(_ purpose: SealPurpose, keyID: UInt32, row: RowContext) {
        self.purpose = purpose
        self.keyID = keyID
        place = .row(row)
    }

    /// The context of the keys of a keybag.
    package init(_ purpose: SealPurpose, keyID: UInt32, keybag: KeybagIdentifier, accessibility: Accessibility) {
        self.purpose = purpose
        self.keyID = keyID
        place = .keybag(keybag, accessibility)
    }

    /// The context of content that a keybag has once, under a key of its own.
    package init(_ purpose: SealPurpose, keybag: KeybagIdentifier) {
        self.purpose = purpose
        keyID = 0
        place = .wholeKeybag(keybag)
    }

    /// The context of content that a store has once, under a key of its own.
    package init(_ purpose: SealPurpose, store: StoreIdentifier) {
        self.purpose = purpose
        keyID = 0
        place = .store(store)
    }

    /// The context of a file keychain's master key.
    ///
    /// It includes the clear header, so that no change of the header goes unnoticed.
    package init(_ purpose: SealPurpose, keychain store: StoreIdentifier, header: [UInt8]) {
        self.purpose = purpose
        keyID = 0
        place = .keychain(store, header: header)
    }

    /// Lends the associated data to `body`.
    func withAssociatedData<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Self.maximumBytes, alignment: 1) { buffer in
            var writer = CBORWriter(lent: buffer)
            writer.writeMap {
                $0.write(Field.format, Self.format)
                $0.write(Field.purpose, purpose.rawValue)
                switch place {
                case .row(let row):
                    writePlace(row.store, to: &$0)
                    $0.write(Field.row, row.row)
                    $0.write(Field.version, row.version)
                    $0.write(Field.itemClass, row.itemClass)
                    $0.write(Field.accessibility, row.accessibility)
                    $0.write(Field.flags, UInt64((row.isSynchronizable ? 1 : 0) | (row.isTombstone ? 2 : 0)))
                    $0.write(Field.groupDigest, row.groupDigest)
                    if !purpose.isOfAttributes {
                        $0.write(Field.constraints, row.constraints)
                        $0.write(Field.keyCustody, row.keyCustody)
                    }
                case .keybag(let keybag, let accessibility):
                    writePlace(keybag, to: &$0)
                    $0.write(Field.accessibility, accessibility)
                case .store(let store): writePlace(store, to: &$0)
                case .wholeKeybag(let keybag): writePlace(keybag, to: &$0)
                case .keychain(let store, let header):
                    writePlace(store, to: &$0)
                    $0.write(Field.header, header)
                }
            }
            return try writer.withUnsafeBytes(body)
        }
    }

    private func writePlace(_ owner: some RandomIdentifier & CBORValue, to writer: inout CBORWriter) {
        writer.write(Field.owner, owner)
        writer.write(Field.keyID, keyID)
    }

    private enum Field: UInt64, CBORField {
        case format = 0
        case purpose = 1
        case owner = 2
        case keyID = 3
        case row = 4
        case version = 5
        case itemClass = 6
        case accessibility = 7
        case flags = 8
        case groupDigest = 9
        case constraints = 10
        case header = 11
        case keyCustody = 12
    }

    /// The most bytes of associated data without constraints and headers.
    ///
    /// Eleven keys of one byte, three strings of 17 bytes, eight numbers of at most 9, and the head. Constraints, which
    /// few rows have, and headers allocate more.
    private static let maximumBytes = 1 + 11 + 3 * 17 + 8 * 9
}
