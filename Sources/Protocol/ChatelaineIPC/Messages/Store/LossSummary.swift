import ChatelaineModel

/// The unacknowledged losses of a store, and the damaged items that were set aside (`security check`).
package struct LossSummary: Sendable, Equatable {
    /// The sum of several losses.
    package struct Missing: Sendable, Equatable {
        /// The most changes that may be missing; nil where that is not known.
        package var changes: UInt64?
        /// The number of the last change before the losses.
        package var since: UInt64
        /// A time before the first loss, in seconds since 2001; nil where none is known.
        package var sinceDate: Double?
        /// Items that certainly exist nowhere any more.
        package var lost: UInt64
        /// Items from a snapshot, which may be out of date or may have been deleted since.
        package var restored: UInt64
        package var setAside: UInt64
        /// The least number of rows that were changed, removed or put back from outside.
        package var altered: UInt64
        /// Whether a recovery is still under way; its end may show more.
        package var isOpen: Bool

        package init(
            changes: UInt64?, since: UInt64, sinceDate: Double? = nil, lost: UInt64 = 0, restored: UInt64 = 0,
            setAside: UInt64 = 0, altered: UInt64 = 0, isOpen: Bool = false
        ) {
            self.changes = changes
            self.since = since
            self.sinceDate = sinceDate
            self.lost = lost
            self.restored = restored
            self.setAside = setAside
            self.altered = altered
            self.isOpen = isOpen
        }
    }

    /// A damaged item in the quarantine.
    package struct SetAside: Sendable, Equatable {
        /// Nil where the identifier is damaged as well.
        package var item: ItemIdentifier?
        package var itemClass: ItemClass?
        /// Nil where the number is not one of a known reason.
        package var reason: DamageReason?
        /// The hour in which it was set aside, in seconds since 2001.
        package var date: Double
        /// The service or server, and the account.
        ///
        /// Empty unless the item belongs to one of the caller's groups, and its attributes are readable or can be
        /// opened.
        package var attributes: AttributeSet
        /// Whether the keychain's keys prove the attributes.
        package var isVerified: Bool

        package init(
            item: ItemIdentifier?, itemClass: ItemClass?, reason: DamageReason?, date: Double,
            attributes: AttributeSet = AttributeSet(), isVerified: Bool = true
        ) {
            self.item = item
            self.itemClass = itemClass
            self.reason = reason
            self.date = date
            self.attributes = attributes
            self.isVerified = isVerified
        }
    }

    /// More than a daemon lists at once.
    static let maximumSetAside = 1024

    /// Nil where nothing is missing, or every loss is acknowledged.
    package var missing: Missing?
    /// The number of damaged items in the quarantine, listed here or not.
    package var total: UInt64 = 0
    /// The newest damaged items in the quarantine.
    package var setAside: [SetAside] = []

    package init() {}
}

extension LossSummary: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case missing = 0
        case total = 1
        case setAside = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.missing, missing)
            $0.write(Field.total, total)
            $0.writeArray(Field.setAside, setAside)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        missing = try map.readIfPresent(Field.missing)
        total = try map.read(Field.total)
        setAside = try map.readArray(Field.setAside, limit: Self.maximumSetAside)
        reader = try map.end()
    }
}

extension LossSummary.Missing: CBORValue {
    private enum Field: UInt64, CBORField {
        case changes = 0
        case since = 1
        case sinceDate = 2
        case lost = 3
        case restored = 4
        case setAside = 5
        case isOpen = 6
        case altered = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.changes, changes)
            $0.write(Field.since, since)
            $0.write(Field.sinceDate, sinceDate)
            $0.write(Field.lost, lost)
            $0.write(Field.restored, restored)
            $0.write(Field.setAside, setAside)
            $0.write(Field.isOpen, isOpen)
            $0.write(Field.altered, altered)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            changes: try map.readIfPresent(Field.changes), since: try map.read(Field.since),
            sinceDate: try map.readIfPresent(Field.sinceDate), lost: try map.read(Field.lost),
            restored: try map.read(Field.restored), setAside: try map.read(Field.setAside))
        isOpen = try map.read(Field.isOpen)
        altered = try map.read(Field.altered)
        reader = try map.end()
    }
}

/// On the wire, 0 stands for a damaged class or reason.
extension LossSummary.SetAside: CBORValue {
    private enum Field: UInt64, CBORField {
        case item = 0
        case itemClass = 1
        case reason = 2
        case date = 3
        case attributes = 4
        case isVerified = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.item, item)
            $0.write(Field.itemClass, UInt64(itemClass?.rawValue ?? 0))
            $0.write(Field.reason, UInt64(reason?.rawValue ?? 0))
            $0.write(Field.date, date)
            $0.write(Field.attributes, attributes)
            $0.write(Field.isVerified, isVerified)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let item: ItemIdentifier? = try map.readIfPresent(Field.item)
        try map.find(Field.itemClass)
        let itemClass = ItemClass(rawValue: try map.reader.readByte())
        try map.find(Field.reason)
        let reason = DamageReason(rawValue: try map.reader.readByte())
        self.init(
            item: item, itemClass: itemClass, reason: reason, date: try map.read(Field.date),
            attributes: try map.read(Field.attributes), isVerified: try map.read(Field.isVerified))
        reader = try map.end()
    }
}
