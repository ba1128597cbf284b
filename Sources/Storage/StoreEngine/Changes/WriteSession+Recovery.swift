import ChatelaineModel

/// The operations of a recovery inside a write transaction.
extension WriteSession {
    /// The result for a row that was to be taken over.
    enum Takeover {
        case inserted
        /// The store has a row of the same identifier, or had one that was deleted since; a row under a barred key
        /// counts, too.
        case present
        /// A newer row has the same unique digest; the older one is in the quarantine.
        case superseded
    }

    /// Takes over a row whose seals open.
    ///
    /// - Parameters:
    ///   - base: the sequence up to which rows may be replaced; rows with a higher one were changed since, and stay.
    ///   - isAhead: whether the row is brought before its turn; the row is then noted, so that its turn does not bring
    ///     it again.
    func takeOver(_ row: WholeRow, base: UInt64, isAhead: Bool) throws(KeychainError) -> Takeover {
        if try has(.isBrought, row.identifier) { return .present }
        // The row's key is about to be destroyed.
        if barred.isBarred(row) { return .present }
        if let present = try stamp(.stampByIdentifier, row.identifier) {
            guard present.version < row.version, present.sequence <= Int64(clamping: base) else { return .present }
            try delete(row: present.row)
        }
        if let unique = row.unique,
            let present = try stamp(
                .stampByUnique, unique, tombstone: layout.tombstone == nil ? nil : row.tombstone)
        {
            guard present.sequence < row.sequence else {
                try setAside(row, because: .superseded)
                return .superseded
            }
            try quarantine(row: present.row, because: .superseded)
        }
        try insert(row)
        if isAhead {
            let noting = try statements[.noteBrought]
            try noting.bind(1, row.identifier)
            try noting.run()
        }
        return .inserted
    }

    /// Copies a row that is in no table of the store into the quarantine; false where it is there already.
    @discardableResult
    func setAside(_ row: WholeRow, because reason: DamageReason) throws(KeychainError) -> Bool {
        let looking = try statements[.isQuarantined]
        defer { looking.reset() }
        try looking.bind(1, row.identifier)
        looking.bind(2, row.version)
        guard try !looking.step() else { return false }
        let statement = try statements[.quarantineCopy]
        defer { statement.reset() }
        try row.bind(to: statement, of: layout)
        statement.bind(layout.quarantineReason, Int64(reason.rawValue))
        statement.bind(layout.quarantineHour, hour)
        _ = try statement.step()
        try requireOne(statement)
        return true
    }

    /// Records the progress of a recovery.
    func advance(
        _ recovery: Recovery, to phase: Recovery.Phase, _ position: Int64, _ done: RecoveryCounts
    ) throws(KeychainError) {
        let statement = try statements[.advanceRecovery]
        for (index, number) in [
            recovery.entry, phase.rawValue, position, Int64(done.salvaged), Int64(done.restored), Int64(done.setAside),
        ].enumerated() { statement.bind(Int32(1 + index), number) }
        try statement.run()
    }

    /// Ends a recovery, and forgets which rows were brought before their turn.
    func finish(_ recovery: Recovery, lost: Int) throws(KeychainError) {
        let statement = try statements[.finishRecovery]
        statement.bind(1, recovery.entry)
        statement.bind(2, hour)
        statement.bind(3, Int64(lost))
        try statement.run()
        try statements[.forgetBrought].run()
        rows.endRecovery()
    }

    func has(_ name: EngineStatement, _ value: [UInt8]) throws(KeychainError) -> Bool {
        let statement = try statements[name]
        defer { statement.reset() }
        try statement.bind(1, value)
        return try statement.step()
    }

    private func stamp(
        _ name: EngineStatement, _ value: [UInt8], tombstone: Int64? = nil
    ) throws(KeychainError) -> (row: Int64, version: Int64, sequence: Int64)? {
        let statement = try statements[name]
        defer { statement.reset() }
        try statement.bind(1, value)
        if let tombstone { statement.bind(2, tombstone) }
        guard try statement.step() else { return nil }
        return (statement.integer(0), statement.integer(1), statement.integer(2))
    }
}
