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
    /// The most acknowledged reports that are remembered; beyond them the oldest are told once more.
    static let maximumKnown = 16
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
    func read() throws(KeychainError) -> [LossReport]? { try content()?.reports }

    private func content() throws(KeychainError) -> Content? {
        guard let bytes = try StoreFolder.read(path, limit: Self.maximumBytes) else { return nil }
        return Self.decoded(bytes)
            ?? Content(reports: [LossReport(cause: .recovery, found: clock.now(), base: 0, changes: nil)])
    }

    /// Writes the reports after `change`, unless they are the same; those that somebody knows already are left out.
    func update(_ change: (inout [LossReport]) -> Void) throws(KeychainError) {
        try updateContent { content in
            change(&content.reports)
            let known = content.known
            content.reports.removeAll { report in known.contains { $0.covers(report) } }
        }
    }

    private func updateContent(_ change: (inout Content) -> Void) throws(KeychainError) {
        try Self.turn.withLock { (_) throws(KeychainError) in
            let present = try content() ?? Content()
            var content = present
            change(&content)
            guard content != present else { return }
            while content.reports.count > Self.maximumReports,
                let merged = LossReport.sum(Array(content.reports.prefix(2)))
            {
                content.reports.replaceSubrange(0..<2, with: [merged])
            }
            content.known = content.known.suffix(Self.maximumKnown)
            try write(Self.encoded(content))
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
    ///
    /// - Parameter remembering: whether the next opening finds the same losses again, since the file stays as it is.
    func acknowledge(_ known: [LossReport], remembering: Bool) throws(KeychainError) {
        func timeless(_ report: LossReport) -> LossReport {
            var report = report
            report.found = 0
            return report
        }
        let compared = known.map(timeless)
        try updateContent { content in
            content.reports.removeAll { $0.isNothing || compared.contains(timeless($0)) }
            // A store that takes changes goes on with numbers that no earlier report has.
            guard remembering else { return content.known = [] }
            content.known.removeAll { former in known.contains { $0.covers(former) } }
            content.known += known
        }
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
        case known = 3
    }

    /// What the file has.
    struct Content: Equatable {
        var reports: [LossReport] = []
        /// Reports that somebody has acknowledged, and that each opening of a file that stays as it is makes anew.
        var known: [LossReport] = []
    }

    static func encoded(_ content: Content) -> [UInt8] {
        var writer = CBORWriter(capacity: 512)
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.version, version)
            $0.writeArray(Field.reports, content.reports)
            // The field is left out where nothing is remembered, so that earlier versions can read the file.
            if !content.known.isEmpty { $0.writeArray(Field.known, content.known) }
        }
        return writer.finishArray()
    }

    /// Decodes the reports; nil for any other file.
    static func decoded(_ content: [UInt8]) -> Content? {
        content.withUnsafeBytes { bytes in
            do throws(CBORError) {
                var map = try CBORMap(CBORReader(bytes))
                let format: (kind: String, version: UInt64) = (
                    try map.read(Field.kind), try map.read(Field.version)
                )
                var content = Content(reports: try map.readArray(Field.reports, limit: maximumReports))
                if let known: [LossReport] = try map.readArrayIfPresent(Field.known, limit: maximumKnown) {
                    guard !known.isEmpty else { return nil }
                    content.known = known
                }
                try map.end().finish()
                return format == (kind, version) ? content : nil
            } catch { return nil }
        }
    }
}
