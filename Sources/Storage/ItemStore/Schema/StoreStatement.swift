/// The prepared statements of a store, by name.
enum StoreStatement: Int, CaseIterable {
    case begin, end, schemaVersion
    case savepoint, rollBackToSavepoint, releaseSavepoint
    case findPair, findOwner, findPlace, findLabel, findTag, findIdentifier, findGroup
    case findPairSecret, findOwnerSecret, findPlaceSecret, findLabelSecret, findTagSecret, findIdentifierSecret,
        findGroupSecret
    case row, rowByUnique, tombstoneByUnique, tombstones
    case insert, updateRow, updateRowAndSecret, deleteRow, deleteOldTombstone
    case quarantine, hasQuarantine
    case sequence, head, setHead
    case noteLoss
    case terms, termByIdentifier, termByRow, termOfTombstone
    case request, recordRequest, hasRequests, forgetRequests
    case wholeRows, stampByIdentifier, stampByUnique, quarantineCopy, isQuarantined, isBrought, noteBrought
    case recovery, advanceRecovery, finishRecovery, forgetBrought

    /// 1: what is looked for; 2: class; 3 and 4: range of the synchronizable flag; 5: protection class or 0.
    /// The index is named, since the planner has no statistics by which to tell a digest from a class.
    private static func search(_ column: ItemColumn, secret: Bool) -> String {
        """
        SELECT \(secret ? StoredRow.list : StoredRow.listWithoutSecret) FROM items \
        \(column.declaration.index.map { "INDEXED BY \($0)" } ?? "") \
        WHERE \(column.name) = ?1 AND class = ?2 AND tomb = 0 AND sync BETWEEN ?3 AND ?4 AND (?5 = 0 OR pdmn = ?5)
        """
    }

    private static func update(_ columns: [ItemColumn]) -> String {
        "UPDATE items SET \(ItemColumn.assignments(columns)) WHERE uuid = ?1 AND class = ?2"
    }

    /// The column by which a search looks rows up; nil for other statements.
    var searchedColumn: ItemColumn? {
        switch self {
        case .findPair, .findPairSecret: .pair
        case .findOwner, .findOwnerSecret: .owner
        case .findPlace, .findPlaceSecret: .place
        case .findLabel, .findLabelSecret: .label
        case .findTag, .findTagSecret: .tag
        case .findIdentifier, .findIdentifierSecret: .uuid
        case .findGroup, .findGroupSecret: .groupDigest
        default: nil
        }
    }

    var sql: String {
        switch self {
        case .begin: "BEGIN"
        case .end: "COMMIT"
        case .schemaVersion: "PRAGMA schema_version"
        case .savepoint: "SAVEPOINT change"
        case .rollBackToSavepoint: "ROLLBACK TO change"
        case .releaseSavepoint: "RELEASE change"
        case .findPair: Self.search(.pair, secret: false)
        case .findOwner: Self.search(.owner, secret: false)
        case .findPlace: Self.search(.place, secret: false)
        case .findLabel: Self.search(.label, secret: false)
        case .findTag: Self.search(.tag, secret: false)
        case .findIdentifier: Self.search(.uuid, secret: false)
        case .findGroup: Self.search(.groupDigest, secret: false)
        case .findPairSecret: Self.search(.pair, secret: true)
        case .findOwnerSecret: Self.search(.owner, secret: true)
        case .findPlaceSecret: Self.search(.place, secret: true)
        case .findLabelSecret: Self.search(.label, secret: true)
        case .findTagSecret: Self.search(.tag, secret: true)
        case .findIdentifierSecret: Self.search(.uuid, secret: true)
        case .findGroupSecret: Self.search(.groupDigest, secret: true)
        case .row: "SELECT \(StoredRow.list) FROM items WHERE row = ?1"
        case .rowByUnique: "SELECT \(StoredRow.list) FROM items WHERE unique_digest = ?1 AND tomb = 0"
        case .tombstoneByUnique:
            "SELECT \(StoredRow.listWithoutSecret) FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .tombstones:
            "SELECT \(StoredRow.listWithoutSecret) FROM items WHERE tomb = 1 AND row > ?1 ORDER BY row LIMIT ?2"
        case .insert: "INSERT INTO items (\(ItemColumn.storedList)) VALUES (\(ItemColumn.storedParameters))"
        case .updateRow: Self.update(ItemColumn.changing)
        case .updateRowAndSecret: Self.update(ItemColumn.changing + ItemColumn.ofSecret)
        case .deleteRow: "DELETE FROM items WHERE row = ?1"
        case .deleteOldTombstone: "DELETE FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .quarantine:
            """
            INSERT INTO quarantine (reason, hour, \(ItemColumn.storedList)) \
            SELECT ?2, ?3, \(ItemColumn.storedList) FROM items WHERE row = ?1
            """
        case .hasQuarantine: "SELECT 1 FROM quarantine LIMIT 1"
        case .sequence: "SELECT sequence FROM store WHERE id = 1"
        case .head: "SELECT sequence, head FROM store WHERE id = 1"
        case .setHead: "UPDATE store SET sequence = ?1, head = ?2, hour = coalesce(?3, hour) WHERE id = 1"
        case .noteLoss: "INSERT INTO losses (hour, marked, found) VALUES (?1, ?2, ?3)"
        case .terms: "SELECT \(RowAuthenticator.columns) FROM items"
        case .termByIdentifier: "SELECT \(RowAuthenticator.columns) FROM items WHERE uuid = ?1"
        case .termByRow: "SELECT \(RowAuthenticator.columns) FROM items WHERE row = ?1"
        case .termOfTombstone:
            "SELECT \(RowAuthenticator.columns) FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .request: "SELECT digest, status, item FROM requests WHERE name IN (?1, ?2)"
        case .recordRequest:
            """
            INSERT OR REPLACE INTO requests (slot, name, digest, status, item) VALUES (?1, ?2, ?3, ?4, ?5)
            """
        case .hasRequests: "SELECT 1 FROM requests LIMIT 1"
        case .forgetRequests:
            // All but ?2 slots from ?1 on; behind the last one the first follows.
            """
            DELETE FROM requests WHERE slot NOT BETWEEN 0 AND \(WriteSession.rememberedRequests - 1) \
            OR (slot - ?1 + \(WriteSession.rememberedRequests)) % \(WriteSession.rememberedRequests) >= ?2
            """
        case .wholeRows: WholeRow.select + " FROM items WHERE row > ?1 ORDER BY row LIMIT ?2"
        case .stampByIdentifier: "SELECT row, version, sequence FROM items WHERE uuid = ?1"
        case .stampByUnique: "SELECT row, version, sequence FROM items WHERE unique_digest = ?1 AND tomb = ?2"
        case .quarantineCopy:
            """
            INSERT INTO quarantine (\(ItemColumn.storedList), reason, hour) \
            VALUES (\(ItemColumn.storedParameters), ?\(ItemColumn.quarantineReason), ?\(ItemColumn.quarantineHour))
            """
        case .isQuarantined: "SELECT 1 FROM quarantine WHERE uuid = ?1 AND version = ?2"
        case .isBrought: "SELECT 1 FROM brought WHERE uuid = ?1"
        case .noteBrought: "INSERT OR IGNORE INTO brought (uuid) VALUES (?1)"
        case .recovery:
            """
            SELECT entry, base, damaged, snapshot, is_complete, phase, position, salvaged, restored, set_aside, \
            started FROM recoveries \
            WHERE finished IS NULL ORDER BY entry LIMIT 1
            """
        case .advanceRecovery:
            """
            UPDATE recoveries SET phase = ?2, position = ?3, salvaged = salvaged + ?4, restored = restored + ?5, \
            set_aside = set_aside + ?6 WHERE entry = ?1
            """
        case .finishRecovery: "UPDATE recoveries SET finished = ?2, lost = ?3 WHERE entry = ?1"
        case .forgetBrought: "DELETE FROM brought"
        }
    }
}
