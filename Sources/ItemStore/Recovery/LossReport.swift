import ChatelaineModel

/// What was lost at one time, or may have been, and nobody has acknowledged yet: numbers and dates, never an attribute.
public struct LossReport: Sendable, Equatable {
    /// The numbers are in files: they never change meaning.
    public enum Cause: UInt8, Sendable {
        /// A store was made anew from what was left of it.
        case recovery = 1
        /// The mark was ahead of the database, and nothing had what was missing.
        case markAhead = 2
        /// Rows that did not open were set aside while the store was in use.
        case rows = 3
        /// The rows are other than those that our changes wrote.
        case alteration = 4
        /// Head record, mark or keybag are missing, older than they were, or of another history.
        case history = 5
    }

    public var cause: Cause
    /// When it was found, in seconds since 2001.
    public var found: Double
    /// The number with which the store went on; it tells reports apart.
    public var base: UInt64
    /// Changes that may be missing at most, without those that are proven to be there; nil where nobody can tell.
    public var changes: UInt64? = 0
    /// The number of the last change before them.
    public var since: UInt64 = 0
    /// A time before the first of them, in seconds since 2001; nil where none is known.
    public var sinceDate: Double?
    /// Items that are known to be nowhere.
    public var lost = 0
    /// Items of a snapshot that may be older than they were, or may have been deleted since.
    public var restored = 0
    /// Damaged rows in the quarantine.
    public var setAside = 0
    /// Rows, at least so many, that somebody else changed, removed or put back.
    public var altered = 0
    /// Whether the recovery that it is about still goes on.
    public var isOpen = false

    /// Whether nothing is missing.
    public var isNothing: Bool { changes == 0 && lost == 0 && restored == 0 && setAside == 0 && altered == 0 }

    /// What several reports come to together; nil for none.
    public static func sum(_ reports: [LossReport]) -> LossReport? {
        guard var sum = reports.first else { return nil }
        for report in reports.dropFirst() { sum.add(report) }
        return sum
    }

    private mutating func add(_ other: LossReport) {
        // Where one has no missing changes, the other says since when some are.
        if changes == 0 {
            (since, sinceDate) = (other.since, other.sinceDate)
        } else if other.changes != 0 {
            since = min(since, other.since)
            sinceDate = if let mine = sinceDate, let theirs = other.sinceDate { min(mine, theirs) } else { nil }
        }
        changes =
            if let mine = changes, let theirs = other.changes { mine.addingReportingOverflow(theirs).partialValue } else
            { nil }
        lost += other.lost
        restored += other.restored
        setAside += other.setAside
        altered += other.altered
        found = max(found, other.found)
        base = max(base, other.base)
        isOpen = isOpen || other.isOpen
    }
}

extension LossReport: CustomStringConvertible {
    /// For the log.
    public var description: String {
        var parts: [String] = []
        if changes != 0 {
            let since =
                sinceDate.map { "change \(self.since) of \(StoreClock.stamp(of: $0))" } ?? "change \(self.since)"
            parts.append(
                (changes.map { "up to \($0) changes" } ?? "an unknown number of changes")
                    + " since \(since) may be missing")
        }
        if lost > 0 { parts.append("\(lost) items are lost") }
        if restored > 0 {
            parts.append("\(restored) items of a snapshot may be older than they were, or deleted since")
        }
        if setAside > 0 { parts.append("\(setAside) damaged items are set aside") }
        if altered > 0 { parts.append("\(altered) rows or more are not those that were written last") }
        return parts.isEmpty ? "nothing is missing" : parts.joined(separator: ", ")
    }
}

extension LossReport {
    /// Its changes as the list of losses has them.
    var listed: [(name: String, value: LossList.Value)] {
        var fields: [(name: String, value: LossList.Value)] = []
        if let changes { fields.append(("changes", .number(Int64(clamping: changes)))) }
        fields.append(("since", .number(Int64(clamping: since))))
        if let sinceDate { fields.append(("since-time", .text(StoreClock.stamp(of: sinceDate)))) }
        return fields
    }

    static let maximumFields = 11

    func encode(to writer: inout CBORWriter) {
        writer.writeMap(
            count: 8 + (changes == nil ? 0 : 1) + (sinceDate == nil ? 0 : 1) + (altered == 0 ? 0 : 1))
        writer.write(UInt64(0)); writer.write(UInt64(cause.rawValue))
        writer.write(UInt64(1)); writer.write(found)
        writer.write(UInt64(2)); writer.write(base)
        if let changes { writer.write(UInt64(3)); writer.write(changes) }
        writer.write(UInt64(4)); writer.write(since)
        if let sinceDate { writer.write(UInt64(5)); writer.write(sinceDate) }
        writer.write(UInt64(6)); writer.write(lost)
        writer.write(UInt64(7)); writer.write(restored)
        writer.write(UInt64(8)); writer.write(setAside)
        writer.write(UInt64(9)); writer.write(isOpen)
        // Left out where there are none, so that earlier versions read the file.
        if altered > 0 { writer.write(UInt64(10)); writer.write(altered) }
    }

    /// Throws `CBORError`.
    init(from reader: inout CBORReader) throws {
        var cause: Cause?
        var found: Double?
        var base: UInt64?
        var report = LossReport(cause: .recovery, found: 0, base: 0, changes: nil)
        try reader.readMap(limit: Self.maximumFields) { field, reader in
            switch field {
            case 0: cause = try reader.readCase(Cause.self)
            case 1: found = try reader.readDouble()
            case 2: base = try reader.readUnsigned()
            case 3: report.changes = try reader.readUnsigned()
            case 4: report.since = try reader.readUnsigned()
            case 5: report.sinceDate = try reader.readDouble()
            case 6: report.lost = try reader.readInt(in: 0...Int(Int32.max))
            case 7: report.restored = try reader.readInt(in: 0...Int(Int32.max))
            case 8: report.setAside = try reader.readInt(in: 0...Int(Int32.max))
            case 9: report.isOpen = try reader.readBool()
            case 10: report.altered = try reader.readInt(in: 0...Int(Int32.max))
            default: throw CBORError.unsupported
            }
        }
        guard let cause, let found, let base, found.isFinite, report.sinceDate?.isFinite ?? true else {
            throw CBORError.unexpectedType
        }
        report.cause = cause
        report.found = found
        report.base = base
        self = report
    }
}
