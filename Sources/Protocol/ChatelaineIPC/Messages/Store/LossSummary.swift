import ChatelaineModel

/// What is missing from the store and nobody has acknowledged, and which damaged items were set aside (`security check`).
package struct LossSummary: Sendable, Equatable {
    /// What several losses come to together.
    package struct Missing: Sendable, Equatable {
        /// Changes that may be missing at most; nil where nobody can tell.
        package var changes: UInt64?
        /// The number of the last change before them.
        package var since: UInt64
        /// A time before the first of them, in seconds since 2001; nil where none is known.
        package var sinceDate: Double?
        /// Items that are known to be nowhere.
        package var lost: UInt64
        /// Items of a snapshot that may be older than they were, or were deleted since.
        package var restored: UInt64
        package var setAside: UInt64
        /// Rows, at least so many, that were changed, removed or put back from outside.
        package var altered: UInt64
        /// Whether a recovery still goes on, in whose end more may be known.
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
        /// Nil where that is damaged, too.
        package var item: ItemIdentifier?
        package var itemClass: ItemClass?
        /// Nil where no number of ours stands there.
        package var reason: DamageReason?
        /// The hour in which it was set aside, in seconds since 2001.
        package var date: Double
        /// Service or server, and account; empty unless they open, or are in clear, and the item is one of the caller's groups.
        package var attributes: AttributeSet
        /// Whether the keychain proves them.
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

    /// More than a daemon shows at once.
    static let maximumSetAside = 1024

    /// Nil where nothing is missing, or all of it is acknowledged.
    package var missing: Missing?
    /// Damaged items in the quarantine, shown here or not.
    package var total: UInt64 = 0
    /// The newest of them.
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

/// 0 stands for a class or reason that is damaged.
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
