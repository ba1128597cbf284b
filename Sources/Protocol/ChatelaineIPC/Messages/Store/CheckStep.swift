import ChatelaineModel

/// The result of one step of a full verification (`security check`): counts and identifiers, never an attribute.
package struct CheckStep: Sendable, Equatable {
    /// A damaged row.
    package struct Finding: Sendable, Equatable {
        package var item: ItemIdentifier
        /// Nil where the row's class is damaged.
        package var itemClass: ItemClass?
        package var reason: DamageReason
        /// What became of the row.
        package var outcome: CheckOutcome

        package init(item: ItemIdentifier, itemClass: ItemClass?, reason: DamageReason, outcome: CheckOutcome) {
            self.item = item
            self.itemClass = itemClass
            self.reason = reason
            self.outcome = outcome
        }
    }

    /// The most rows of one step; each may be a finding.
    static let maximumFindings = 4096
    static let maximumStructure = 64

    /// Where the next step begins; nil at the end.
    package var next: UInt64?
    package var rows: UInt64 = 0
    /// Rows of locked classes, which could not be verified.
    package var locked: UInt64 = 0
    /// The number of all rows; in the first step only.
    package var total: UInt64?
    /// Faults of the file itself; in the first step only.
    package var structure: [String] = []
    package var findings: [Finding] = []

    package init() {}
}

extension CheckStep: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case next = 0
        case rows = 1
        case locked = 2
        case total = 3
        case structure = 4
        case findings = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.next, next)
            $0.write(Field.rows, rows)
            $0.write(Field.locked, locked)
            $0.write(Field.total, total)
            $0.writeArray(Field.structure, structure)
            $0.writeArray(Field.findings, findings)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        next = try map.readIfPresent(Field.next)
        rows = try map.read(Field.rows)
        locked = try map.read(Field.locked)
        total = try map.readIfPresent(Field.total)
        structure = try map.readArray(Field.structure, limit: Self.maximumStructure)
        findings = try map.readArray(Field.findings, limit: Self.maximumFindings)
        reader = try map.end()
    }
}

/// On the wire a finding is an array of four; 0 stands for a damaged class.
extension CheckStep.Finding: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: 4)
        item.encode(to: &writer)
        writer.write(UInt64(itemClass?.rawValue ?? 0))
        reason.encode(to: &writer)
        outcome.encode(to: &writer)
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readArrayHead(of: 4)
        self.init(
            item: try ItemIdentifier(from: &reader), itemClass: ItemClass(rawValue: try reader.readByte()),
            reason: try DamageReason(from: &reader), outcome: try CheckOutcome(from: &reader))
    }
}
