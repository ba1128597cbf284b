import ChatelaineModel

/// A snapshot, as `security snapshot` shows it.
package struct SnapshotRecord: Sendable, Equatable {
    package var name: String
    /// The number of the last change in the snapshot.
    package var sequence: UInt64
    /// When it was taken, in seconds since 2001.
    package var date: Double
    package var reason: SnapshotReason
    package var items: UInt64
    package var bytes: UInt64
    /// The folder to which a restoration moved the former store; nil otherwise.
    package var replaced: String?

    package init(
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
}

extension SnapshotRecord: CBORValue {
    private enum Field: UInt64, CBORField {
        case name = 0
        case sequence = 1
        case date = 2
        case reason = 3
        case items = 4
        case bytes = 5
        case replaced = 6
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.name, name)
            $0.write(Field.sequence, sequence)
            $0.write(Field.date, date)
            $0.write(Field.reason, reason)
            $0.write(Field.items, items)
            $0.write(Field.bytes, bytes)
            $0.write(Field.replaced, replaced)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            name: try map.read(Field.name), sequence: try map.read(Field.sequence), date: try map.read(Field.date),
            reason: try map.read(Field.reason), items: try map.read(Field.items), bytes: try map.read(Field.bytes),
            replaced: try map.readIfPresent(Field.replaced))
        reader = try map.end()
    }
}
