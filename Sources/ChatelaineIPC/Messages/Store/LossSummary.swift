import ChatelaineModel

/// What is missing from the store and nobody has acknowledged, and which damaged items were set aside (`security check`).
public struct LossSummary: Sendable, Equatable {
    /// What several losses come to together.
    public struct Missing: Sendable, Equatable {
        /// Changes that may be missing at most; nil where nobody can tell.
        public var changes: UInt64?
        /// The number of the last change before them.
        public var since: UInt64
        /// A time before the first of them, in seconds since 2001; nil where none is known.
        public var sinceDate: Double?
        /// Items that are known to be nowhere.
        public var lost: UInt64
        /// Items of a snapshot that may be older than they were, or were deleted since.
        public var restored: UInt64
        public var setAside: UInt64
        /// Rows, at least so many, that were changed, removed or put back from outside.
        public var altered: UInt64
        /// Whether a recovery still goes on, in whose end more may be known.
        public var isOpen: Bool

        public init(
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
    public struct SetAside: Sendable, Equatable {
        /// Nil where that is damaged, too.
        public var item: ItemIdentifier?
        public var itemClass: ItemClass?
        /// Nil where no number of ours stands there.
        public var reason: DamageReason?
        /// The hour in which it was set aside, in seconds since 2001.
        public var date: Double
        /// Service or server, and account; empty unless they open and the item is one of the caller's groups.
        public var attributes: AttributeSet

        public init(
            item: ItemIdentifier?, itemClass: ItemClass?, reason: DamageReason?, date: Double,
            attributes: AttributeSet = AttributeSet()
        ) {
            self.item = item
            self.itemClass = itemClass
            self.reason = reason
            self.date = date
            self.attributes = attributes
        }
    }

    /// More than a daemon shows at once.
    static let maximumSetAside = 1024

    /// Nil where nothing is missing, or all of it is acknowledged.
    public var missing: Missing?
    /// Damaged items in the quarantine, shown here or not.
    public var total: UInt64 = 0
    /// The newest of them.
    public var setAside: [SetAside] = []

    public init() {}
}

extension LossSummary: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case missing = 0
        case total = 1
        case setAside = 2
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.missing, missing)
            $0.write(Field.total, total)
            $0.writeArray(Field.setAside, setAside)
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
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

    public func encode(to writer: inout CBORWriter) {
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

    public init(from reader: inout CBORReader) throws(CBORError) {
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
    }

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.item, item)
            $0.write(Field.itemClass, UInt64(itemClass?.rawValue ?? 0))
            $0.write(Field.reason, UInt64(reason?.rawValue ?? 0))
            $0.write(Field.date, date)
            $0.write(Field.attributes, attributes)
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let item: ItemIdentifier? = try map.readIfPresent(Field.item)
        try map.find(Field.itemClass)
        let itemClass = ItemClass(rawValue: try map.reader.readByte())
        try map.find(Field.reason)
        let reason = DamageReason(rawValue: try map.reader.readByte())
        self.init(
            item: item, itemClass: itemClass, reason: reason, date: try map.read(Field.date),
            attributes: try map.read(Field.attributes))
        reader = try map.end()
    }
}
