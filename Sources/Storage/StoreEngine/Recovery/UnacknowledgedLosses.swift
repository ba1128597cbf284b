import ChatelaineModel
import ChatelaineSystem

/// The file beside a store that records the losses nobody has acknowledged yet (`Documentation/formats/item-store.md`).
///
/// It is no part of the database, so that neither another recovery nor a restored snapshot removes a report. Each
/// change replaces the file, durably. The file stays after the first report, and is empty once all are acknowledged.
/// Without the file, the losses that the database records count as unacknowledged.
struct UnacknowledgedLosses: Sendable {
    /// The most separate reports; beyond them the two oldest become one.
    static let maximumReports = 64
    static let maximumBytes = 16 * 1024
    private static let kind = "chatelaine losses"
    private static let version: UInt64 = 1

    /// The lock of a change, for all stores of this process.
    private static let turn = AdaptiveMutex<Void>(())

    let path: String
    let clock: StoreClock

    init(_ places: StorePlaces, clock: StoreClock) {
        path = places.unacknowledged
        self.clock = clock
    }

    /// The reports, those of recoveries that go on among them; nil where there never was one.
    ///
    /// A damaged file counts as one report of unknown size.
    func read() throws(KeychainError) -> [LossReport]? {
        guard let content = try StoreFolder.read(path, limit: Self.maximumBytes) else { return nil }
        return Self.decoded(content) ?? [LossReport(cause: .recovery, found: clock.now(), base: 0, changes: nil)]
    }

    /// Writes the reports after `change`, unless they are the same.
    func update(_ change: (inout [LossReport]) -> Void) throws(KeychainError) {
        try Self.turn.withLock { (_) throws(KeychainError) in
            let present = try read() ?? []
            var reports = present
            change(&reports)
            guard reports != present else { return }
            while reports.count > Self.maximumReports, let merged = LossReport.sum(Array(reports.prefix(2))) {
                reports.replaceSubrange(0..<2, with: [merged])
            }
            try write(Self.encoded(reports))
        }
    }

    /// Adds a report, or replaces the one of the same cause and number.
    func put(_ report: LossReport) throws(KeychainError) {
        try update { reports in
            if let index = reports.firstIndex(where: { $0.cause == report.cause && $0.base == report.base }) {
                reports[index] = report
            } else {
                reports.append(report)
            }
        }
    }

    /// Removes reports that somebody knows; those that came in or grew since they were read stay.
    ///
    /// The time is not compared, since a damaged file counts as one report of the time at which it is read.
    func acknowledge(_ known: [LossReport]) throws(KeychainError) {
        func timeless(_ report: LossReport) -> LossReport {
            var report = report
            report.found = 0
            return report
        }
        let known = known.map(timeless)
        try update { $0.removeAll { $0.isNothing || known.contains(timeless($0)) } }
    }

    private func write(_ content: [UInt8]) throws(KeychainError) {
        if let present = try StoreFolder.read(path, limit: Self.maximumBytes), Self.decoded(present) == nil {
            try StoreFolder.moveAside(path)
        }
        try StoreFolder.replace(path, with: content)
    }

    private enum Field: UInt64, CBORField {
        case kind = 0
        case version = 1
        case reports = 2
    }

    static func encoded(_ reports: [LossReport]) -> [UInt8] {
        var writer = CBORWriter(capacity: 512)
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.version, version)
            $0.writeArray(Field.reports, reports)
        }
        return writer.finishArray()
    }

    /// Decodes the reports; nil for any other file.
    static func decoded(_ content: [UInt8]) -> [LossReport]? {
        content.withUnsafeBytes { bytes in
            do throws(CBORError) {
                var map = try CBORMap(CBORReader(bytes))
                let format: (kind: String, version: UInt64) = (
                    try map.read(Field.kind), try map.read(Field.version)
                )
                let reports: [LossReport] = try map.readArray(Field.reports, limit: maximumReports)
                try map.end().finish()
                return format == (kind, version) ? reports : nil
            } catch { return nil }
        }
    }
}
