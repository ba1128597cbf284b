import ChatelaineModel

/// Sealing rows anew whose keys were replaced, while the store is in use.
///
/// Rows come first, a few in a transaction, then damaged rows in the quarantine. Then copies of the store are replaced,
/// and the keys are destroyed once a look at all rows finds none that needs them (`RowStore+FormerKeys.swift`). After a
/// crash, or an interruption by a lock, resealing begins again with the remaining rows.
extension RowStore {
    /// Rows whose keys one step looks at: some milliseconds.
    private static let rowsPerLook: Int64 = 2048
    /// Rows of one transaction, for which a change may have to wait, and their sealed bytes; the custodian's limit is
    /// 256.
    private static let rowsPerTransaction = 128
    /// Rows of one transaction while requests are served: a millisecond or two.
    private static let rowsPerShortTransaction = 16
    private static let bytesPerTransaction = 1024 * 1024

    /// Does the next part; answers whether more can be done now.
    ///
    /// - Throws: the errors of disk and key custodian. What was done stays, and the next call goes on from there.
    package func continueResealing() throws(KeychainError) -> Bool {
        guard let resealer = examiner.resealer, !isRecovering, !isRetired else { return false }
        return try resealing.turn.withLock { (_) throws(KeychainError) in
            let started = StoreClock.secondsSinceBoot()
            defer { resealing.state.withLock { $0.stepSeconds = StoreClock.secondsSinceBoot() - started } }
            switch resealing.state.withLock({ $0.phase }) {
            case .none: return try beginResealing(resealer)
            case .rows: return try resealRows(resealer)
            case .setAside: return try resealSetAside(resealer)
            case .ending: return try endResealing(resealer)
            }
        }
    }

    private func beginResealing(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let keys = try resealer.supersededKeys()
        let (isVain, isNew) = resealing.state.withLock { state in
            defer { state.keys = keys }
            return (state.vain == keys, state.keys.ids != keys.ids)
        }
        guard !keys.ids.isEmpty else { return false }
        // The keys are barred before the first look at a row: a later write under them is prepared anew.
        resealer.retire(keys.ids)
        writer.bar(keys.ids, strictly: false)
        if isNew {
            log(.resealingBegun)
            let now = clock.elapsed()
            resealing.state.withLock { $0.begun = now }
        }
        guard keys.access != .none, !isVain else { return false }
        let highest = try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.highestRow]
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : 0
        }
        resealing.state.withLock { state in
            state.vain = nil
            state.highest = highest
            state.begin(.rows)
        }
        return true
    }

    // MARK: Rows

    private func resealRows(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let (keys, position) = resealing.state.withLock { ($0.keys, $0.position) }
        let look = try look(for: keys.ids, after: position, .keyNames, .wholeRow)
        var locked = 0
        var changed = 0
        if !look.rows.isEmpty {
            var resealed: [(old: WholeRow, new: WholeRow)] = []
            for (row, verdict) in zip(look.rows, try resealer.reseal(look.rows)) {
                switch verdict {
                case .resealed(let new): resealed.append((row, new))
                case .locked: locked += 1
                case .damaged(let reason):
                    // As where a search meets the row: its bytes are kept, and a snapshot replaces what it can.
                    if try setAside(row, reason).contains(where: { $0.outcome != .left }) { changed += 1 }
                }
            }
            let written = try write(resealed)
            changed += written
            resealing.state.withLock { $0.resealed += written }
        }
        resealing.state.withLock { state in
            state.position = look.last
            state.locked += locked
            state.changed += changed
        }
        if locked > 0, locked == look.rows.count, try resealer.supersededKeys() != keys {
            // A class was locked or unlocked meanwhile.
            resealing.state.withLock { $0.begin(.none) }
            return true
        }
        return try look.isEnd ? passed(to: .setAside, resealer) : true
    }

    /// Ends a pass; after locked rows, resealing stops until their keys are unlocked.
    private func passed(to phase: Resealing.Phase, _ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let now = try resealer.supersededKeys()
        return resealing.state.withLock { state in
            guard state.locked > 0 else {
                state.begin(phase)
                return true
            }
            state.begin(.none)
            guard now == state.keys else { return true }
            state.vain = now.access == .all ? nil : now
            return false
        }
    }

    /// Writes resealed rows in place of the old ones that have not changed since; answers how many.
    ///
    /// The transaction waits for no sync: rows that a power cut takes back are resealed again.
    private func write(_ rows: [(old: WholeRow, new: WholeRow)]) throws(KeychainError) -> Int {
        guard !rows.isEmpty else { return 0 }
        return try writer.transaction(.later) { (session) throws(KeychainError) -> WriteOutcome<Int> in
            var written = 0
            for (old, new) in rows where try session.reseal(old, as: new) { written += 1 }
            return written > 0 ? .commit(written) : .rollback(0)
        }
    }

    // MARK: Rows that were set aside

    private func resealSetAside(_ resealer: any RowResealer) throws(KeychainError) -> Bool {
        let (keys, position) = resealing.state.withLock { ($0.keys, $0.position) }
        let look = try look(for: keys.ids, after: position, .quarantinedKeyNames, .wholeQuarantined)
        var locked = 0
        if !look.rows.isEmpty {
            var resealed: [WholeRow] = []
            var cleared: [WholeRow] = []
            for (row, verdict) in zip(look.rows, try resealer.resealParts(of: look.rows, keys: keys.ids)) {
                switch verdict {
                case .resealed(let new):
                    resealed.append(new)
                    if layout.resealed.contains(where: { new[$0] == .null && row[$0] != .null }) { cleared.append(row) }
                case .locked, .damaged: locked += 1
                }
            }
            // Each line of the list is written before its change.
            try lossList.append(cleared.map { (.cleared, [("item", LossList.text($0.identifier))]) })
            let rows = resealed
            try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Void> in
                for row in rows { try session.resealQuarantined(row) }
                return rows.isEmpty ? .rollback(()) : .commit(())
            }
            for _ in cleared { log(.cleared) }
            let changed = resealed.count
            resealing.state.withLock { $0.changed += changed }
        }
        resealing.state.withLock { state in
            state.position = look.last
            state.locked += locked
        }
        return try look.isEnd ? passed(to: .ending, resealer) : true
    }

    // MARK: What is left

    /// The rows that name certain keys, as far as one look goes.
    struct KeyLook {
        var rows: [WholeRow] = []
        /// The last row that was looked at.
        var last: Int64
        var isEnd = false
    }

    private func look(
        for keys: Set<Int64>, after position: Int64, _ names: EngineStatement, _ whole: EngineStatement
    ) throws(KeychainError) -> KeyLook {
        let maximum = resealing.state.withLock { state in
            state.isShort = state.use.othersAreBusy()
            return state.isShort ? Self.rowsPerShortTransaction : Self.rowsPerTransaction
        }
        return try readers.read { (reader) throws(KeychainError) in
            var look = KeyLook(last: position)
            var found: [Int64] = []
            var count: Int64 = 0
            let statement = try reader.statements[names]
            defer { statement.reset() }
            statement.bind(1, position)
            statement.bind(2, Self.rowsPerLook)
            while found.count < maximum, try statement.step() {
                count += 1
                look.last = statement.integer(0)
                if layout.isNamed(keys, statement) { found.append(look.last) }
            }
            look.isEnd = count < Self.rowsPerLook && found.count < maximum
            let reading = try reader.statements[whole]
            var bytes = 0
            for row in found {
                defer { reading.reset() }
                reading.bind(1, row)
                guard try reading.step() else { continue }
                let content = WholeRow(reading, layout)
                bytes += content.byteCount
                look.rows.append(content)
                // The others follow with the next step; the first row is taken whatever its size.
                guard bytes >= Self.bytesPerTransaction, row != found.last else { continue }
                (look.last, look.isEnd) = (row, false)
                break
            }
            return look
        }
    }
}

extension RowLayout {
    /// Whether a row names one of these keys; the statement reads the row's number and then ``keyNames``.
    func isNamed(_ keys: Set<Int64>, _ statement: PreparedStatement) -> Bool {
        keyNames.indices.contains { index in
            !statement.isNull(Int32(1 + index)) && keys.contains(statement.integer(Int32(1 + index)))
        }
    }
}

extension WriteSession {
    /// Writes a resealed row, unless the row has changed since.
    fileprivate func reseal(_ old: WholeRow, as new: WholeRow) throws(KeychainError) -> Bool {
        let reading = try statements[.termByRow]
        reading.bind(1, old.row)
        guard let present = try present(reading), present.term == rows.authenticator.term(of: old) else { return false }
        let statement = try statements[.reseal]
        defer { statement.reset() }
        try bind(new, to: statement)
        _ = try statement.step()
        try requireOne(statement)
        rows.remove(present.term)
        rows.insert(rows.authenticator.term(of: new))
        return true
    }

    /// Writes the remaining parts of a row in the quarantine, which nobody else changes.
    fileprivate func resealQuarantined(_ row: WholeRow) throws(KeychainError) {
        let statement = try statements[.resealQuarantined]
        defer { statement.reset() }
        try bind(row, to: statement)
        _ = try statement.step()
        try requireOne(statement)
    }

    private func bind(_ row: WholeRow, to statement: PreparedStatement) throws(KeychainError) {
        for place in layout.resealed { try statement.bind(Int32(place), row[place]) }
        statement.bind(layout.rowParameter, row.row)
    }
}
