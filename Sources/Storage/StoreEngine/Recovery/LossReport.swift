import ChatelaineModel

/// A loss, certain or possible, that nobody has acknowledged yet: numbers and dates, never an attribute.
package struct LossReport: Sendable, Equatable {
    /// The kind of loss; the numbers are in files and never change meaning.
    package enum Cause: UInt8, Sendable {
        /// A store was made anew from its remains.
        case recovery = 1
        /// The mark was ahead of the database, and no source had the missing changes.
        case markAhead = 2
        /// Rows that did not open were set aside while the store was in use.
        case rows = 3
        /// Rows differ from those that the store's own changes wrote.
        case alteration = 4
        /// Head record, mark or keybag is missing, older than it was, or of another history.
        case history = 5
    }

    package var cause: Cause
    /// When the loss was found, in seconds since 2001.
    package var found: Double
    /// The number with which the store went on; it tells reports apart.
    package var base: UInt64
    /// The most changes that may be missing, without those proven to be present; nil where the number is unknown.
    package var changes: UInt64? = 0
    /// The number of the last change before the missing ones.
    package var since: UInt64 = 0
    /// A time before the first missing change, in seconds since 2001; nil for an unknown time.
    package var sinceDate: Double?
    /// Items that are known to be lost.
    package var lost = 0
    /// Items restored from a snapshot that may be older than they were, or may have been deleted since.
    package var restored = 0
    /// Damaged rows in the quarantine.
    package var setAside = 0
    /// The least number of rows that somebody else changed, removed or put back.
    package var altered = 0
    /// Whether the recovery that caused the report still goes on.
    package var isOpen = false

    /// Whether the report has no loss.
    var isNothing: Bool { changes == 0 && lost == 0 && restored == 0 && setAside == 0 && altered == 0 }

    /// Whether another report says nothing that this one does not say.
    func covers(_ other: LossReport) -> Bool {
        let hasChanges = changes.map { mine in other.changes.map { $0 <= mine } ?? false } ?? true
        return cause == other.cause && base == other.base && hasChanges && other.lost <= lost
            && other.restored <= restored && other.setAside <= setAside && other.altered <= altered
    }

    /// The largest count of a report.
    ///
    /// A database that somebody else wrote may claim any number, and no sum of such claims may overflow.
    private static let highestCount = Int(Int32.max)

    /// The count that a number stands for.
    static func count(_ number: Int64) -> Int { Int(min(max(0, number), Int64(highestCount))) }

    /// The sum of several reports; nil for none.
    package static func sum(_ reports: [LossReport]) -> LossReport? {
        guard var sum = reports.first else { return nil }
        for report in reports.dropFirst() { sum.add(report) }
        return sum
    }

    private mutating func add(_ other: LossReport) {
        // Only reports with missing changes say since when changes are missing.
        if changes == 0 {
            (since, sinceDate) = (other.since, other.sinceDate)
        } else if other.changes != 0 {
            since = min(since, other.since)
            sinceDate = if let mine = sinceDate, let theirs = other.sinceDate { min(mine, theirs) } else { nil }
        }
        changes =
            if let mine = changes, let theirs = other.changes { mine.addingReportingOverflow(theirs).partialValue } else
            { nil }
        lost = Self.count(Int64(lost) + Int64(other.lost))
        restored = Self.count(Int64(restored) + Int64(other.restored))
        setAside = Self.count(Int64(setAside) + Int64(other.setAside))
        altered = Self.count(Int64(altered) + Int64(other.altered))
        found = max(found, other.found)
        base = max(base, other.base)
        isOpen = isOpen || other.isOpen
    }
}

extension LossReport: CustomStringConvertible {
    /// The report in words, for the log.
    package var description: String {
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
    /// The missing changes as fields of the list of losses.
    var listed: [(name: String, value: LossList.Value)] {
        var fields: [(name: String, value: LossList.Value)] = []
        if let changes { fields.append(("changes", .number(Int64(clamping: changes)))) }
        fields.append(("since", .number(Int64(clamping: since))))
        if let sinceDate { fields.append(("since-time", .text(StoreClock.stamp(of: sinceDate)))) }
        return fields
    }
}

extension LossReport.Cause: CBORValue {}

extension LossReport: CBORValue {
    private enum Field: UInt64, CBORField {
        case cause = 0
        case found = 1
        case base = 2
        case changes = 3
        case since = 4
        case sinceDate = 5
        case lost = 6
        case restored = 7
        case setAside = 8
        case isOpen = 9
        case altered = 10
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.cause, cause)
            $0.write(Field.found, found)
            $0.write(Field.base, base)
            $0.write(Field.changes, changes)
            $0.write(Field.since, since)
            $0.write(Field.sinceDate, sinceDate)
            $0.write(Field.lost, Int64(lost))
            $0.write(Field.restored, Int64(restored))
            $0.write(Field.setAside, Int64(setAside))
            $0.write(Field.isOpen, isOpen)
            // The field is left out for 0, so that earlier versions can read the file.
            $0.write(Field.altered, altered > 0 ? Int64(altered) : nil)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            cause: try map.read(Field.cause), found: try map.read(Field.found), base: try map.read(Field.base),
            changes: try map.readIfPresent(Field.changes))
        since = try map.read(Field.since)
        sinceDate = try map.readIfPresent(Field.sinceDate)
        lost = try Self.readCount(Field.lost, &map)
        restored = try Self.readCount(Field.restored, &map)
        setAside = try Self.readCount(Field.setAside, &map)
        isOpen = try map.read(Field.isOpen)
        if try map.has(Field.altered) { altered = try Self.readCount(&map.reader) }
        guard found.isFinite, sinceDate?.isFinite ?? true else { throw .outOfRange }
        reader = try map.end()
    }

    private static func readCount(_ field: Field, _ map: inout CBORMap) throws(CBORError) -> Int {
        try map.find(field)
        return try readCount(&map.reader)
    }

    private static func readCount(_ reader: inout CBORReader) throws(CBORError) -> Int {
        try reader.readInt(in: 0...highestCount)
    }
}
