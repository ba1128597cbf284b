import ChatelaineModel

/// What a recovery does inside a write transaction.
extension WriteSession {
    /// What became of a row that was to be taken over.
    enum Takeover {
        case inserted
        /// A row of its identifier is there, or was and has been deleted since.
        case present
        /// A newer row has what makes it unique; it is in the quarantine.
        case superseded
    }

    /// Takes over a row whose seals open.
    ///
    /// - Parameters:
    ///   - base: rows with a higher sequence were changed since, and stay.
    ///   - isAhead: whether the row is brought before its turn, so that its turn must not bring it again.
    func takeOver(_ row: WholeRow, base: UInt64, isAhead: Bool) throws(KeychainError) -> Takeover {
        if try has(.isBrought, row.identifier) { return .present }
        // Nothing would open it any more.
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

    /// Keeps a row that is in no table of the store in the quarantine, unless it is there already.
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

    /// Notes how far a recovery is, and what it has done.
    func advance(
        _ recovery: Recovery, to phase: Recovery.Phase, _ position: Int64, _ done: RecoveryCounts
    ) throws(KeychainError) {
        let statement = try statements[.advanceRecovery]
        for (index, number) in [
            recovery.entry, phase.rawValue, position, Int64(done.salvaged), Int64(done.restored), Int64(done.setAside),
        ].enumerated() { statement.bind(Int32(1 + index), number) }
        try statement.run()
    }

    /// Ends a recovery; what was brought ahead need not be remembered any more.
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
