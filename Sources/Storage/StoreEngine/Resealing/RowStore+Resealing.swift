import ChatelaineModel

/// Sealing rows anew whose keys were replaced, while the store is in use.
///
/// First the rows, a few in a transaction; then damaged ones that were set aside; then copies of the store are replaced, and the keys
/// destroyed, once a look at all of it has found none that needs them (`RowStore+FormerKeys.swift`). After a crash, or where
/// something is locked, it begins anew with what is left.
extension RowStore {
    /// Rows whose keys are looked at in one step: some milliseconds.
    private static let rowsPerLook: Int64 = 2048
    /// Rows that are sealed in one transaction, for which a change may have to wait, and their sealed bytes. The key custodian takes 256.
    private static let rowsPerTransaction = 128
    /// The same while others are served: a millisecond or two.
    private static let rowsPerShortTransaction = 16
    private static let bytesPerTransaction = 1024 * 1024

    /// Does the next part; answers whether there is more that can be done now.
    ///
    /// Throws what disk and key custodian say; what was done stays, and the next call goes on from there.
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
        // Before the first look at a row: whatever was sealed by them and comes later is prepared anew.
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
                    // As where a search meets it: its bytes are kept, and a snapshot gives what it has.
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
            // Something was locked meanwhile, or unlocked.
            resealing.state.withLock { $0.begin(.none) }
            return true
        }
        return try look.isEnd ? passed(to: .setAside, resealer) : true
    }

    /// Ends a pass; where something was locked, it is over until that is open.
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

    /// Writes rows that are sealed anew in the place of those that are still what they were; answers how many.
    ///
    /// Nobody waits for a sync: what a power cut takes back is sealed anew once more.
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
            // Before it is done, as each line of the list.
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

    /// Rows that name keys, as far as one look goes.
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
                // The others with the next step; the first one goes however large it is.
                guard bytes >= Self.bytesPerTransaction, row != found.last else { continue }
                (look.last, look.isEnd) = (row, false)
                break
            }
            return look
        }
    }
}

extension RowLayout {
    /// Whether one of these keys is named; the statement reads a row's number and then ``keyNames``.
    func isNamed(_ keys: Set<Int64>, _ statement: PreparedStatement) -> Bool {
        keyNames.indices.contains { index in
            !statement.isNull(Int32(1 + index)) && keys.contains(statement.integer(Int32(1 + index)))
        }
    }
}

extension WriteSession {
    /// Writes a row that is sealed anew, unless it is another one by now.
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

    /// Writes what is left of a row that was set aside; nobody else changes those.
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
