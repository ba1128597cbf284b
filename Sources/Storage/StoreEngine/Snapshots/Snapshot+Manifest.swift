import ChatelaineModel

/// The file `snapshot` beside a snapshot's database: deterministic CBOR, in clear
/// (`Documentation/formats/item-store.md`).
extension Snapshot {
    static let manifest = "snapshot"
    /// Far more bytes than the fields have.
    static let maximumManifestBytes = 4096
    private static let kind = "chatelaine snapshot"
    private static let version: UInt64 = 1
    /// A number above any count of items or bytes on a disk; sums of seven such numbers do not overflow.
    private static let highestCount: Int64 = 1 << 50

    private enum Field: UInt64, CBORField {
        case kind = 0
        case version = 1
        case store = 2
        case sequence = 3
        case date = 4
        case reason = 5
        case items = 6
        case bytes = 7
        case schemaVersion = 8
    }

    func encode() -> [UInt8] {
        var writer = CBORWriter(capacity: 256)
        writer.writeMap {
            $0.write(Field.kind, Self.kind)
            $0.write(Field.version, Self.version)
            $0.write(Field.store, store)
            $0.write(Field.sequence, sequence)
            $0.write(Field.date, date)
            $0.write(Field.reason, reason)
            $0.write(Field.items, Int64(items))
            $0.write(Field.bytes, bytes)
            $0.write(Field.schemaVersion, schemaVersion)
        }
        return writer.finishArray()
    }

    /// Decodes a manifest; throws for anything else.
    init(name: String, decoding content: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(content))
        let format: (kind: String, version: UInt64) = (try map.read(Field.kind), try map.read(Field.version))
        guard format == (Self.kind, Self.version) else { throw .outOfRange }
        let store: StoreIdentifier = try map.read(Field.store)
        let sequence: UInt64 = try map.read(Field.sequence)
        let date: Double = try map.read(Field.date)
        let reason: SnapshotReason = try map.read(Field.reason)
        let items: Int64 = try map.read(Field.items)
        let bytes: Int64 = try map.read(Field.bytes)
        let schema: Int64 = try map.read(Field.schemaVersion)
        try map.end().finish()
        guard sequence <= HighWaterMark.highestClaim, date.isFinite, (0...Self.highestCount).contains(items),
            (0...Self.highestCount).contains(bytes), (1...Self.highestCount).contains(schema)
        else { throw .outOfRange }
        self.init(
            name: name, store: store, sequence: sequence, date: date, reason: reason, items: Int(clamping: items),
            bytes: bytes, schemaVersion: schema)
    }
}
