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

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: missing == nil ? 2 : 3)
        if let missing {
            writer.write(UInt64(0))
            missing.encode(to: &writer)
        }
        writer.write(UInt64(1))
        writer.write(total)
        writer.write(UInt64(2))
        writer.writeArray(count: setAside.count)
        for item in setAside { item.encode(to: &writer) }
    }

    /// Throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var hasTotal = false
        try reader.readMap(limit: 3) { field, reader in
            switch field {
            case 0: missing = try Missing(from: &reader)
            case 1:
                total = try reader.readUnsigned()
                hasTotal = true
            case 2:
                for _ in 0..<(try reader.readArrayCount(limit: Self.maximumSetAside)) {
                    setAside.append(try SetAside(from: &reader))
                }
            default: throw CBORError.unsupported
            }
        }
        guard hasTotal else { throw CBORError.unexpectedType }
    }
}

extension LossSummary.Missing {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 6 + (changes == nil ? 0 : 1) + (sinceDate == nil ? 0 : 1))
        if let changes {
            writer.write(UInt64(0))
            writer.write(changes)
        }
        writer.write(UInt64(1))
        writer.write(since)
        if let sinceDate {
            writer.write(UInt64(2))
            writer.write(sinceDate)
        }
        for (field, number) in [(UInt64(3), lost), (4, restored), (5, setAside)] {
            writer.write(field)
            writer.write(number)
        }
        writer.write(UInt64(6))
        writer.write(isOpen)
        writer.write(UInt64(7))
        writer.write(altered)
    }

    fileprivate init(from reader: inout CBORReader) throws {
        var numbers: [UInt64: UInt64] = [:]
        var sinceDate: Double?
        var isOpen: Bool?
        try reader.readMap(limit: 8) { field, reader in
            switch field {
            case 0, 1, 3...5, 7: numbers[field] = try reader.readUnsigned()
            case 2: sinceDate = try reader.readDouble()
            case 6: isOpen = try reader.readBool()
            default: throw CBORError.unsupported
            }
        }
        guard let since = numbers[1], let lost = numbers[3], let restored = numbers[4], let setAside = numbers[5],
            let isOpen, let altered = numbers[7]
        else { throw CBORError.unexpectedType }
        self.init(
            changes: numbers[0], since: since, sinceDate: sinceDate, lost: lost, restored: restored, setAside: setAside,
            altered: altered, isOpen: isOpen)
    }
}

extension LossSummary.SetAside {
    fileprivate func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 4 + (item == nil ? 0 : 1))
        if let item {
            writer.write(UInt64(0))
            writer.write(item.bytes)
        }
        writer.write(UInt64(1))
        writer.write(UInt64(itemClass?.rawValue ?? 0))
        writer.write(UInt64(2))
        writer.write(UInt64(reason?.rawValue ?? 0))
        writer.write(UInt64(3))
        writer.write(date)
        writer.write(UInt64(4))
        attributes.encode(to: &writer)
    }

    fileprivate init(from reader: inout CBORReader) throws {
        var item: ItemIdentifier?
        var itemClass: ItemClass?
        var reason: DamageReason?
        var date: Double?
        var attributes: AttributeSet?
        try reader.readMap(limit: 5) { field, reader in
            switch field {
            case 0: item = try reader.readIdentifier()
            case 1: itemClass = ItemClass(rawValue: try reader.readByte())
            case 2: reason = DamageReason(rawValue: try reader.readByte())
            case 3: date = try reader.readDouble()
            case 4: attributes = try AttributeSet(from: &reader)
            default: throw CBORError.unsupported
            }
        }
        guard let date, let attributes else { throw CBORError.unexpectedType }
        self.init(item: item, itemClass: itemClass, reason: reason, date: date, attributes: attributes)
    }
}
