import ChatelaineModel

/// What one step of a full verification found (`security check`): counts and identifiers, never an attribute.
public struct CheckStep: Sendable, Equatable {
    /// A row that is not what it should be.
    public struct Finding: Sendable, Equatable {
        public var item: ItemIdentifier
        /// Nil for a row whose class is damaged.
        public var itemClass: ItemClass?
        public var reason: DamageReason
        /// Where it is now.
        public var outcome: CheckOutcome

        public init(item: ItemIdentifier, itemClass: ItemClass?, reason: DamageReason, outcome: CheckOutcome) {
            self.item = item
            self.itemClass = itemClass
            self.reason = reason
            self.outcome = outcome
        }
    }

    /// Rows of one step, of which each may be a finding.
    static let maximumFindings = 4096
    static let maximumStructure = 64

    /// Where the next step begins; nil at the end.
    public var next: UInt64?
    public var rows: UInt64 = 0
    /// Rows of locked classes, of which nothing can be said.
    public var locked: UInt64 = 0
    /// Rows in all; in the first step only.
    public var total: UInt64?
    /// What is wrong with the file as such; in the first step only.
    public var structure: [String] = []
    public var findings: [Finding] = []

    public init() {}

    public func encode(to writer: inout CBORWriter) {
        writer.writeMap(count: 4 + (next == nil ? 0 : 1) + (total == nil ? 0 : 1))
        if let next {
            writer.write(UInt64(0))
            writer.write(next)
        }
        writer.write(UInt64(1))
        writer.write(rows)
        writer.write(UInt64(2))
        writer.write(locked)
        if let total {
            writer.write(UInt64(3))
            writer.write(total)
        }
        writer.write(UInt64(4))
        writer.writeArray(count: structure.count)
        for text in structure { writer.write(text) }
        writer.write(UInt64(5))
        writer.writeArray(count: findings.count)
        for finding in findings {
            writer.writeArray(count: 4)
            writer.write(finding.item.bytes)
            writer.write(UInt64(finding.itemClass?.rawValue ?? 0))
            writer.write(UInt64(finding.reason.rawValue))
            writer.write(UInt64(finding.outcome.rawValue))
        }
    }

    /// Throws ``CBORError``.
    public init(from reader: inout CBORReader) throws {
        var hasRows = false
        try reader.readMap(limit: 6) { field, reader in
            switch field {
            case 0: next = try reader.readUnsigned()
            case 1:
                rows = try reader.readUnsigned()
                hasRows = true
            case 2: locked = try reader.readUnsigned()
            case 3: total = try reader.readUnsigned()
            case 4:
                for _ in 0..<(try reader.readArrayCount(limit: Self.maximumStructure)) {
                    structure.append(try reader.readText())
                }
            case 5:
                for _ in 0..<(try reader.readArrayCount(limit: Self.maximumFindings)) {
                    findings.append(try Self.finding(&reader))
                }
            default: throw CBORError.unsupported
            }
        }
        guard hasRows else { throw CBORError.unexpectedType }
    }

    private static func finding(_ reader: inout CBORReader) throws -> Finding {
        guard try reader.readArrayCount(limit: 4) == 4 else { throw CBORError.unexpectedType }
        return Finding(
            item: try reader.readIdentifier(), itemClass: ItemClass(rawValue: try reader.readByte()),
            reason: try reader.readCase(DamageReason.self), outcome: try reader.readCase(CheckOutcome.self))
    }
}
