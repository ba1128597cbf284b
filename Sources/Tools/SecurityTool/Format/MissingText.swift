import ChatelaineIPC
import ChatelaineModel

/// Describes what is missing, or may be missing, in sentences for people.
struct MissingText {
    /// The number of changes that may be missing; nil if it is not known.
    var changes: UInt64?
    var since: UInt64
    var date: Double?
    var lost: UInt64
    var restored: UInt64
    var setAside: UInt64
    var altered: UInt64

    init(_ missing: LossSummary.Missing) {
        changes = missing.changes
        since = missing.since
        date = missing.sinceDate
        lost = missing.lost
        restored = missing.restored
        setAside = missing.setAside
        altered = missing.altered
    }

    /// Nil if the report's store lacks nothing.
    init?(_ report: DaemonReport) {
        func number(_ name: String) -> UInt64? {
            guard case .number(let number)? = report["store.missing.\(name)"] else { return nil }
            return UInt64(clamping: number)
        }
        changes = number("changes")
        guard changes != nil || number("unbounded") != nil else { return nil }
        since = number("since") ?? 0
        if case .date(let seconds)? = report["store.missing.date"] { date = seconds }
        lost = number("lost") ?? 0
        restored = number("restored") ?? 0
        setAside = number("aside") ?? 0
        altered = number("altered") ?? 0
    }

    var text: String { parts.joined(separator: "; ") }

    /// One sentence for each kind of loss.
    var parts: [String] {
        var parts: [String] = []
        if changes != 0 {
            let count =
                changes.map { $0 == 1 ? "1 change" : "up to \($0) changes" } ?? "nobody can tell how many changes"
            let when = date.flatMap { DateText.text($0) } ?? (since == 0 ? "the beginning" : "change \(since)")
            parts.append("\(count) since \(when) may be missing")
        }
        if lost > 0 { parts.append(lost == 1 ? "1 item is lost" : "\(lost) items are lost") }
        if restored > 0 {
            parts.append(
                restored == 1
                    ? "1 item is that of a snapshot, and may be older than it was, or deleted since"
                    : "\(restored) items are those of a snapshot, and may be older than they were, or deleted since")
        }
        if setAside > 0 {
            parts.append(setAside == 1 ? "1 damaged item is set aside" : "\(setAside) damaged items are set aside")
        }
        if altered > 0 {
            parts.append(
                "\(altered == 1 ? "1 row" : "\(altered) rows") or more are not those that were written last: damaged, or changed, removed "
                    + "or put back from outside")
        }
        return parts
    }
}
