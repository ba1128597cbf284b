/// The prepared statements of the engine; the statements of a kind of store follow them.
enum EngineStatement: Int, CaseIterable {
    case begin, end, beginChange, rollBack, schemaVersion
    case savepoint, rollBackToSavepoint, releaseSavepoint
    case insert, deleteRow
    case quarantine, quarantineCopy, isQuarantined, hasQuarantine, damagedIdentifiers
    case sequence, head, setHead
    case noteLoss
    case terms, termByIdentifier, termByRow
    case request, recordRequest, hasRequests, forgetRequests
    case wholeRows, wholeRow, stampByIdentifier, stampByUnique, isBrought, noteBrought
    case recovery, recoveryPlace, advanceRecovery, finishRecovery, forgetBrought
    case keyNames, quarantinedKeyNames, reseal, resealQuarantined, wholeQuarantined, highestRow

    func sql(for layout: RowLayout) -> String {
        let (table, row) = (layout.table, layout.name(0))
        let identifier = layout.name(layout.identifier)
        let stamp = "SELECT \(row), \(layout.name(layout.version)), \(layout.name(layout.sequence)) FROM \(table)"
        let terms = "SELECT \(layout.digestedList) FROM \(table)"
        return switch self {
        case .begin: "BEGIN"
        case .end: "COMMIT"
        case .beginChange: "BEGIN IMMEDIATE"
        case .rollBack: "ROLLBACK"
        case .schemaVersion: "PRAGMA schema_version"
        case .savepoint: "SAVEPOINT change"
        case .rollBackToSavepoint: "ROLLBACK TO change"
        case .releaseSavepoint: "RELEASE change"
        case .insert: "INSERT INTO \(table) (\(layout.storedList)) VALUES (\(layout.storedParameters))"
        case .deleteRow: "DELETE FROM \(table) WHERE \(row) = ?1"
        case .quarantine:
            """
            INSERT INTO quarantine (reason, hour, \(layout.storedList)) \
            SELECT ?2, ?3, \(layout.storedList) FROM \(table) WHERE \(row) = ?1
            """
        case .quarantineCopy:
            """
            INSERT INTO quarantine (\(layout.storedList), reason, hour) \
            VALUES (\(layout.storedParameters), ?\(layout.quarantineReason), ?\(layout.quarantineHour))
            """
        case .isQuarantined:
            "SELECT 1 FROM quarantine WHERE \(identifier) = ?1 AND \(layout.name(layout.version)) = ?2"
        case .hasQuarantine: "SELECT 1 FROM quarantine LIMIT 1"
        case .damagedIdentifiers: "SELECT \(identifier) FROM quarantine WHERE \(identifier) IS NOT NULL"
        case .sequence: "SELECT sequence FROM store WHERE id = 1"
        case .head: "SELECT sequence, head FROM store WHERE id = 1"
        case .setHead: "UPDATE store SET sequence = ?1, head = ?2, hour = coalesce(?3, hour) WHERE id = 1"
        case .noteLoss: "INSERT INTO losses (hour, marked, found) VALUES (?1, ?2, ?3)"
        case .terms: terms
        case .termByIdentifier: "\(terms) WHERE \(identifier) = ?1"
        case .termByRow: "\(terms) WHERE \(row) = ?1"
        case .request:
            // SQLite would make a table of its own for `IN (?1, ?2)`, for each change.
            """
            SELECT digest, status, item FROM requests WHERE name = ?1 \
            UNION ALL SELECT digest, status, item FROM requests WHERE name = ?2
            """
        case .recordRequest:
            """
            INSERT OR REPLACE INTO requests (slot, name, digest, status, item) VALUES (?1, ?2, ?3, ?4, ?5)
            """
        case .hasRequests: "SELECT 1 FROM requests LIMIT 1"
        case .forgetRequests:
            // Keeps ?2 slots from ?1 on, counted in a circle.
            """
            DELETE FROM requests WHERE slot NOT BETWEEN 0 AND \(WriteSession.rememberedRequests - 1) \
            OR (slot - ?1 + \(WriteSession.rememberedRequests)) % \(WriteSession.rememberedRequests) >= ?2
            """
        case .wholeRows: "SELECT \(layout.list) FROM \(table) WHERE \(row) > ?1 ORDER BY \(row) LIMIT ?2"
        case .wholeRow: "SELECT \(layout.list) FROM \(table) WHERE \(row) = ?1"
        case .stampByIdentifier: "\(stamp) WHERE \(identifier) = ?1"
        case .stampByUnique:
            // Rows of a table without a unique digest never conflict.
            layout.unique.map { unique in
                "\(stamp) WHERE \(layout.name(unique)) = ?1"
                    + (layout.tombstone.map { " AND \(layout.name($0)) = ?2" } ?? "")
            } ?? "\(stamp) WHERE 0"
        case .isBrought: "SELECT 1 FROM brought WHERE uuid = ?1"
        case .noteBrought: "INSERT OR IGNORE INTO brought (uuid) VALUES (?1)"
        case .recovery:
            """
            SELECT entry, base, damaged, snapshot, is_complete, phase, position, salvaged, restored, set_aside, \
            started FROM recoveries \
            WHERE finished IS NULL ORDER BY entry LIMIT 1
            """
        case .recoveryPlace: "SELECT phase, position FROM recoveries WHERE entry = ?1 AND finished IS NULL"
        case .advanceRecovery:
            """
            UPDATE recoveries SET phase = ?2, position = ?3, salvaged = salvaged + ?4, restored = restored + ?5, \
            set_aside = set_aside + ?6 WHERE entry = ?1
            """
        case .finishRecovery: "UPDATE recoveries SET finished = ?2, lost = ?3 WHERE entry = ?1"
        case .forgetBrought: "DELETE FROM brought"
        case .keyNames:
            """
            SELECT \(layout.list([0] + layout.keyNames)) FROM \(table) WHERE \(row) > ?1 ORDER BY \(row) LIMIT ?2
            """
        case .quarantinedKeyNames:
            """
            SELECT \((["entry"] + layout.keyNames.map(layout.name)).joined(separator: ", ")) FROM quarantine \
            WHERE entry > ?1 ORDER BY entry LIMIT ?2
            """
        case .reseal: "UPDATE \(table) SET \(Self.resealed(layout)) WHERE \(row) = ?\(layout.rowParameter)"
        case .resealQuarantined:
            "UPDATE quarantine SET \(Self.resealed(layout)) WHERE entry = ?\(layout.rowParameter)"
        case .wholeQuarantined: "SELECT entry, \(layout.storedList) FROM quarantine WHERE entry = ?1"
        case .highestRow: "SELECT max(\(row)) FROM \(table)"
        }
    }

    private static func resealed(_ layout: RowLayout) -> String {
        layout.resealed.map { "\(layout.name($0)) = ?\($0)" }.joined(separator: ", ")
    }
}
