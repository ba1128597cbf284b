import ChatelaineModel

/// A snapshot, as `security snapshot` shows it.
public struct SnapshotRecord: Sendable, Equatable {
    public var name: String
    /// The last change that it holds.
    public var sequence: UInt64
    /// When it was taken, in seconds since 2001.
    public var date: Double
    public var reason: SnapshotReason
    public var items: UInt64
    public var bytes: UInt64
    /// After a restoration, the folder to which the store went that was there before.
    public var replaced: String?

    public init(
        name: String, sequence: UInt64, date: Double, reason: SnapshotReason, items: UInt64, bytes: UInt64,
        replaced: String? = nil
    ) {
        self.name = name
        self.sequence = sequence
        self.date = date
        self.reason = reason
        self.items = items
        self.bytes = bytes
        self.replaced = replaced
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: replaced == nil ? 6 : 7)
        writer.write(UInt64(0))
        writer.write(name)
        writer.write(UInt64(1))
        writer.write(sequence)
        writer.write(UInt64(2))
        writer.write(date)
        writer.write(UInt64(3))
        writer.write(UInt64(reason.rawValue))
        writer.write(UInt64(4))
        writer.write(items)
        writer.write(UInt64(5))
        writer.write(bytes)
        if let replaced {
            writer.write(UInt64(6))
            writer.write(replaced)
        }
    }

    /// Throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var name: String?
        var date: Double?
        var reason: SnapshotReason?
        var numbers: [UInt64: UInt64] = [:]
        var replaced: String?
        try reader.readMap(limit: 7) { field, reader in
            switch field {
            case 0: name = try reader.readText()
            case 2: date = try reader.readDouble()
            case 3: reason = try reader.readCase(SnapshotReason.self)
            case 1, 4, 5: numbers[field] = try reader.readUnsigned()
            case 6: replaced = try reader.readText()
            default: throw CBORError.unsupported
            }
        }
        guard let name, let date, let reason, let sequence = numbers[1], let items = numbers[4], let bytes = numbers[5]
        else { throw CBORError.unexpectedType }
        self.init(
            name: name, sequence: sequence, date: date, reason: reason, items: items, bytes: bytes, replaced: replaced)
    }
}
