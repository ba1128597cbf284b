import ChatelaineModel

/// The file `snapshot` beside a snapshot's database: deterministic CBOR, in clear (`Documentation/formats/item-store.md`).
extension Snapshot {
    static let manifest = "snapshot"
    /// Far above what the fields take.
    static let maximumManifestBytes = 4096
    private static let kind = "chatelaine snapshot"
    private static let version: UInt64 = 1
    /// Above every number of items and bytes that a disk holds, and sums of seven of them are still numbers.
    private static let highestCount: Int64 = 1 << 50

    func encode() -> [UInt8] {
        var writer = CBORWriter(capacity: 256)
        writer.writeMap(count: 9)
        writer.write(UInt64(0)); writer.write(Self.kind)
        writer.write(UInt64(1)); writer.write(Self.version)
        writer.write(UInt64(2)); writer.write(store.bytes)
        writer.write(UInt64(3)); writer.write(sequence)
        writer.write(UInt64(4)); writer.write(date)
        writer.write(UInt64(5)); writer.write(UInt64(reason.rawValue))
        writer.write(UInt64(6)); writer.write(items)
        writer.write(UInt64(7)); writer.write(bytes)
        writer.write(UInt64(8)); writer.write(schemaVersion)
        return writer.finishArray()
    }

    /// Throws `CBORError` for what is no manifest.
    init(name: String, decoding content: UnsafeRawBufferPointer) throws {
        var reader = CBORReader(content)
        var kind: String?
        var version: UInt64?
        var store: StoreIdentifier?
        var sequence: UInt64?
        var date: Double?
        var reason: SnapshotReason?
        var numbers: [UInt64: Int64] = [:]
        try reader.readMap(limit: 9) { field, reader in
            switch field {
            case 0: kind = try reader.readText()
            case 1: version = try reader.readUnsigned()
            case 2: store = try reader.readIdentifier()
            case 3: sequence = try reader.readUnsigned()
            case 4: date = try reader.readDouble()
            case 5: reason = try reader.readCase(SnapshotReason.self)
            case 6...8: numbers[field] = try reader.readInteger()
            default: throw CBORError.unsupported
            }
        }
        try reader.finish()
        guard kind == Self.kind, version == Self.version, let store, let sequence, let date, let reason,
            let items = numbers[6], let bytes = numbers[7], let schema = numbers[8]
        else { throw CBORError.unexpectedType }
        guard sequence <= HighWaterMark.highestClaim, date.isFinite, (0...Self.highestCount).contains(items),
            (0...Self.highestCount).contains(bytes), (1...Self.highestCount).contains(schema)
        else { throw CBORError.outOfRange }
        self.init(
            name: name, store: store, sequence: sequence, date: date, reason: reason, items: Int(clamping: items),
            bytes: bytes, schemaVersion: schema)
    }
}
