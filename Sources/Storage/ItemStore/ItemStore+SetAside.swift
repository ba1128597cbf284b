import ChatelaineModel
import StoreEngine

/// The rows in the quarantine, as far as a caller may see them.
extension ItemStore {
    /// The most rows that are shown, the newest first.
    static let maximumSetAsideShown = 256
    /// The bytes of sealed attributes after which no more rows are read.
    private static let maximumBytes = 8 * 1024 * 1024
    /// All columns of a row; NULL stands for those of the secret, which are not needed here.
    private static let columns = ItemColumn.stored.map { ItemColumn.ofSecret.contains($0) ? "NULL" : $0.name }
        .joined(separator: ", ")
    /// The most rows of the quarantine that a vain look-up compares.
    private static let rowsCompared = 64

    /// The damaged rows that were set aside, with their total number.
    ///
    /// - Parameter groups: the access groups whose items the caller may see; for other groups the attributes are left
    ///   out.
    package func setAsideItems(
        groups: [AccessGroup]
    ) throws(KeychainError) -> (items: [SetAsideItem], total: Int) {
        let (rows, total) = try readers.read { (reader) throws(KeychainError) in
            let condition = "FROM quarantine WHERE reason != \(DamageReason.superseded.rawValue)"
            let counting = try PreparedStatement(reader.handle, "SELECT count(*) \(condition)")
            let total = try counting.step() ? Int(clamping: counting.integer(0)) : 0
            let statement = try PreparedStatement(
                reader.handle,
                "SELECT entry, \(Self.columns), reason, hour \(condition) "
                    + "ORDER BY entry DESC LIMIT \(Self.maximumSetAsideShown)")
            var rows: [(row: WholeRow, reason: Int64, hour: Int64)] = []
            var bytes = 0
            while bytes < Self.maximumBytes, try statement.step() {
                bytes += statement.lend(ItemColumn.metadata).count
                rows.append(
                    (
                        WholeRow(statement, ItemColumn.layout), statement.integer(Int32(ItemColumn.layout.count)),
                        statement.integer(Int32(ItemColumn.layout.count + 1))
                    ))
            }
            return (rows, total)
        }
        let verifier = try examiner.verifier(of: rows.map(\.row))
        return (
            rows.map { row, reason, hour in
                var item = SetAsideItem(
                    identifier: ItemIdentifier(row.uuid),
                    itemClass: UInt8(exactly: row.itemClass).flatMap(ItemClass.init),
                    reason: UInt8(exactly: reason).flatMap(DamageReason.init),
                    date: Double(hour) * StoreClock.secondsPerHour)
                let proven = verifier.attributes(of: row)
                if let attributes = proven ?? readable(row, verifier),
                    case .text(let group)? = attributes[.accessGroup],
                    groups.contains(AccessGroup(group))
                {
                    item.isVerified = proven != nil
                    for key in SetAsideItem.shownKeys { item.attributes[key] = attributes[key] }
                }
                return item
            }, total
        )
    }

    /// The attributes of a file keychain's row, unproven.
    ///
    /// They are in clear, and even altered ones tell a person which item the row was.
    private func readable(_ row: WholeRow, _ verifier: RowVerifier) -> AttributeSet? {
        guard case .authenticated = examiner.form else { return nil }
        return verifier.attributes(of: row, by: .unverified)
    }

    /// Whether a vain search would have met an item that is now in the quarantine, as far as attributes there open.
    package func hasSetAside(_ query: ItemQuery, groups: [AccessGroup]) throws(KeychainError) -> Bool {
        guard try engine.hasQuarantine() else { return false }
        return try hasSetAside(
            SearchPlan(
                query, groups: groups, digests: digests, wantsAttributes: true, wantsSecret: false, maximum: 1))
    }

    func hasSetAside(_ plan: SearchPlan) throws(KeychainError) -> Bool {
        guard try engine.hasQuarantine() else { return false }
        for probe in plan.probes {
            let rows = try readers.read { (reader) throws(KeychainError) in
                try Self.quarantined(plan, probe, reader)
            }
            guard !rows.isEmpty else { continue }
            let verifier = try examiner.verifier(of: rows)
            for row in rows {
                guard let attributes = verifier.attributes(of: row), probe.admits(attributes), plan.admits(attributes)
                else {
                    continue
                }
                return true
            }
        }
        return false
    }

    private static func quarantined(
        _ plan: SearchPlan, _ probe: SearchProbe, _ reader: Reader
    ) throws(KeychainError) -> [WholeRow] {
        guard let column = probe.statement.searchedColumn else { return [] }
        let statement = try PreparedStatement(
            reader.handle,
            """
            SELECT entry, \(columns) FROM quarantine WHERE \(column.name) = ?1 AND class = ?2 AND tomb = 0 \
            AND sync BETWEEN ?3 AND ?4 AND (?5 = 0 OR pdmn = ?5) AND reason != \(DamageReason.superseded.rawValue) \
            ORDER BY entry DESC LIMIT \(rowsCompared)
            """)
        try plan.bind(probe, to: statement)
        var rows: [WholeRow] = []
        var bytes = 0
        while bytes < maximumBytes, try statement.step() {
            bytes += statement.lend(ItemColumn.metadata).count
            rows.append(WholeRow(statement, ItemColumn.layout))
        }
        return rows
    }
}

/// A damaged row in the quarantine.
package struct SetAsideItem: Sendable, Equatable {
    /// Nil where the identifier is damaged, too.
    package var identifier: ItemIdentifier?
    package var itemClass: ItemClass?
    package var reason: DamageReason?
    /// The hour in which it was set aside, in seconds since 2001.
    package var date: Double
    /// The attributes by which a person knows the item; empty where they do not open, or the caller may not see them.
    package var attributes = AttributeSet()
    /// Whether the keychain proves the attributes; in a file keychain unproven ones are readable all the same.
    package var isVerified = true

    /// The shown attributes: service or server, and account.
    static let shownKeys: [AttributeKey] = [.service, .server, .account]
}
