/// The prepared statements of a store, by name.
enum StoreStatement: Int, CaseIterable {
    case begin, end, schemaVersion
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

    /// What a search reads of each row, in the order in which ``StoredRow`` expects it.
    private static let metadataColumns =
        "row, uuid, class, pdmn, sync, tomb, version, group_digest, unique_digest, metadata_key, metadata"
    private static let secretColumns = metadataColumns + ", class_key, row_key, secret"

    /// 1: what is looked for; 2: class; 3 and 4: range of the synchronizable flag; 5: protection class or 0.
    /// The index is named, since the planner has no statistics by which to tell a digest from a class.
    private static func search(_ condition: String, by index: String, secret: Bool) -> String {
        """
        SELECT \(secret ? secretColumns : metadataColumns) FROM items INDEXED BY \(index) \
        WHERE \(condition) AND class = ?2 AND tomb = 0 \
        AND sync BETWEEN ?3 AND ?4 AND (?5 = 0 OR pdmn = ?5)
        """
    }

    /// The column by which a search looks rows up; nil for other statements.
    var searchedColumn: String? {
        switch self {
        case .findPair, .findPairSecret: "pair"
        case .findOwner, .findOwnerSecret: "owner"
        case .findPlace, .findPlaceSecret: "place"
        case .findLabel, .findLabelSecret: "label"
        case .findTag, .findTagSecret: "tag"
        case .findIdentifier, .findIdentifierSecret: "uuid"
        case .findGroup, .findGroupSecret: "group_digest"
        default: nil
        }
    }

    var sql: String {
        switch self {
        case .begin: "BEGIN"
        case .end: "COMMIT"
        case .schemaVersion: "PRAGMA schema_version"
        case .findPair: Self.search("pair = ?1", by: "items_pair", secret: false)
        case .findOwner: Self.search("owner = ?1", by: "items_owner", secret: false)
        case .findPlace: Self.search("place = ?1", by: "items_place", secret: false)
        case .findLabel: Self.search("label = ?1", by: "items_label", secret: false)
        case .findTag: Self.search("tag = ?1", by: "items_tag", secret: false)
        case .findIdentifier: Self.search("uuid = ?1", by: "items_uuid", secret: false)
        case .findGroup: Self.search("group_digest = ?1", by: "items_group", secret: false)
        case .findPairSecret: Self.search("pair = ?1", by: "items_pair", secret: true)
        case .findOwnerSecret: Self.search("owner = ?1", by: "items_owner", secret: true)
        case .findPlaceSecret: Self.search("place = ?1", by: "items_place", secret: true)
        case .findLabelSecret: Self.search("label = ?1", by: "items_label", secret: true)
        case .findTagSecret: Self.search("tag = ?1", by: "items_tag", secret: true)
        case .findIdentifierSecret: Self.search("uuid = ?1", by: "items_uuid", secret: true)
        case .findGroupSecret: Self.search("group_digest = ?1", by: "items_group", secret: true)
        case .row: "SELECT \(Self.secretColumns) FROM items WHERE row = ?1"
        case .rowByUnique: "SELECT \(Self.secretColumns) FROM items WHERE unique_digest = ?1 AND tomb = 0"
        case .tombstoneByUnique: "SELECT \(Self.metadataColumns) FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .tombstones: "SELECT \(Self.metadataColumns) FROM items WHERE tomb = 1 AND row > ?1 ORDER BY row LIMIT ?2"
        case .insert:
            """
            INSERT INTO items (\(StoreSchema.rowColumns)) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
            """
        case .updateRow:
            """
            UPDATE items SET pdmn = ?3, sync = ?4, tomb = ?5, version = ?6, sequence = ?7, group_digest = ?8, \
            unique_digest = ?9, pair = ?10, owner = ?11, place = ?12, label = ?13, tag = ?14, metadata_key = ?15, \
            metadata = ?16 WHERE uuid = ?1 AND class = ?2
            """
        case .updateRowAndSecret:
            """
            UPDATE items SET pdmn = ?3, sync = ?4, tomb = ?5, version = ?6, sequence = ?7, group_digest = ?8, \
            unique_digest = ?9, pair = ?10, owner = ?11, place = ?12, label = ?13, tag = ?14, metadata_key = ?15, \
            metadata = ?16, class_key = ?17, row_key = ?18, secret = ?19 WHERE uuid = ?1 AND class = ?2
            """
        case .deleteRow: "DELETE FROM items WHERE row = ?1"
        case .deleteOldTombstone: "DELETE FROM items WHERE unique_digest = ?1 AND tomb = 1"
        case .quarantine:
            """
            INSERT INTO quarantine (reason, hour, \(StoreSchema.rowColumns)) \
            SELECT ?2, ?3, \(StoreSchema.rowColumns) FROM items WHERE row = ?1
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
            INSERT INTO quarantine (\(StoreSchema.rowColumns), reason, hour) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
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
