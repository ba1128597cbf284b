import ChatelaineModel
import Glibc

/// The search for rows in the pages of a damaged database.
extension DamagedDatabase {
    /// The values of wanted rows: digests or identifiers.
    struct Wanted {
        /// Few values, which are compared one by one.
        var values: [[UInt8]] = []
        /// Any number of identifiers.
        var identifiers: Set<[UInt8]> = []

        /// Whether a row has one of the values.
        func isMet(by row: RawRow) -> Bool {
            if !identifiers.isEmpty, let identifier = row.lend(row.layout.identifier),
                identifiers.contains([UInt8](identifier))
            {
                return true
            }
            for place in row.layout.keys where !row.isNull(place) {
                guard let bytes = row.lend(place) else { continue }
                for value in values where Self.isSame(value, bytes) { return true }
            }
            return false
        }

        static func isSame(_ value: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
            guard value.count == bytes.count, let other = bytes.baseAddress else { return false }
            // SAFETY: both have as many bytes.
            return value.withUnsafeBytes { $0.baseAddress.map { memcmp($0, other, bytes.count) == 0 } ?? false }
        }
    }

    /// The result of one pass over all pages at the beginning of a salvage.
    struct Survey: Sendable {
        /// The number of records with the shape of a row.
        var rows = 0
        /// The store's identifier, from a readable head record.
        var store: StoreIdentifier?
        /// The number of the last change, from the head record.
        var headSequence: UInt64 = 0
        /// The seal of the head record; nil without one.
        var head: [UInt8]?
        /// The highest number of a change in any record.
        var sequence: UInt64 = 0
        /// The hour of the last change; nil where no record has it.
        var hour: Int64?
        /// The recorded answers to requests.
        var requests: [RawRequest] = []
        /// The ids of all whole rows.
        var rowSet = RowSet()
        /// The number of rows with a missing part.
        var brokenRows = 0
        /// The rows that were written after the number that the caller gave.
        var recent: [RowVersion] = []
        /// Whether the store itself was being recovered.
        var isRecovering = false
        /// The pages by the values of their rows; nil where the caller needs no index.
        var index: RecoveryIndex?
    }

    /// A row's identifier, version and last change.
    struct RowVersion: Sendable {
        /// Nil where the identifier is not in the page itself, which no page of a store has.
        let identifier: Bytes16?
        let version: UInt64
        let sequence: UInt64
    }

    /// A record of the table `requests`.
    struct RawRequest: Sendable {
        let slot: Int64
        let name: [UInt8]
        /// Nil for an answer of format 2.
        let digest: [UInt8]?
        let status: Int64
        let item: [UInt8]?
    }

    /// Makes one pass over all pages.
    ///
    /// - Parameters:
    ///   - number: rows that later changes wrote are listed one by one.
    ///   - indexing: whether look-ups will follow, so that an index is made.
    func survey(since number: UInt64 = .max, indexing: Bool = false, followsRows: Bool = true) -> Survey {
        var survey = Survey()
        if indexing { survey.index = RecoveryIndex(pages: pageCount) }
        let since = number
        var claims = ChainClaims()
        var pagesRead: UInt32 = 0
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            pagesRead += 1
            guard let page = RawPage(bytes, number: number) else { return true }
            let place = place(of: number)
            page.forEachCell { cell in
                guard let cell else { return }
                if let row = RawRow(cell.local, layout) {
                    let stamp = row.stamp
                    survey.rows += 1
                    survey.sequence = max(survey.sequence, stamp.sequence)
                    survey.index?.insert(row, page: place)
                    guard !followsRows || isWhole(cell, counting: &claims) else { return survey.brokenRows += 1 }
                    survey.rowSet.insert(cell.row)
                    if stamp.sequence > since { survey.recent.append(stamp) }
                } else if cell.payloadBytes == cell.local.count, let record = RawRecord(cell.local) {
                    Self.take(record, row: cell.row, &survey)
                }
            }
            return true
        }
        // The disk may yield the other pages later: then the first look-up makes an index.
        if pagesRead < pageCount {
            survey.index = nil
        } else if followsRows {
            claims.endCounting()
            adopt(claims)
        }
        return survey
    }

    /// Whether every page of the table of rows can be reached from its root and is sound.
    ///
    /// A row that is missing from a complete table was deleted.
    var isTableComplete: Bool {
        guard log.distrusted.isEmpty, let root = rootPage(of: layout.table) else { return false }
        var isComplete = true
        var pagesLeft = Int(pageCount)
        var waiting = [root]
        while let number = waiting.popLast() {
            pagesLeft -= 1
            guard pagesLeft >= 0, let bytes = page(number) else { return false }
            bytes.withUnsafeBytes { bytes in
                guard let page = RawPage(bytes, number: number) else { return isComplete = false }
                switch page.kind {
                case .tableInterior:
                    if let children = page.children { waiting += children } else { isComplete = false }
                case .tableLeaf:
                    page.forEachCell { cell in
                        guard let cell, isRow(cell.local, nil) else { return isComplete = false }
                    }
                default: isComplete = false
                }
            }
            guard isComplete else { return false }
        }
        return true
    }

    /// The root page of a table or index, from the schema table.
    func rootPage(of name: String) -> UInt32? {
        var root: UInt32?
        var pagesLeft = 64
        var waiting: [UInt32] = [1]
        while let number = waiting.popLast(), root == nil {
            pagesLeft -= 1
            guard pagesLeft >= 0, let bytes = page(number) else { return nil }
            bytes.withUnsafeBytes { bytes in
                guard let page = RawPage(bytes, number: number) else { return }
                waiting += page.children ?? []
                page.forEachCell { cell in
                    guard let cell else { return }
                    var texts: [[UInt8]] = []
                    _ = RawRecord.walk(cell.local) { type, bytes in
                        if texts.count == 3 {
                            if texts[1] == Array(name.utf8), let bytes, bytes.count <= 4 {
                                root = bytes.reduce(0) { $0 << 8 | UInt32($1) }
                            }
                            return false
                        }
                        texts.append(bytes.map { [UInt8]($0) } ?? [])
                        return true
                    }
                }
            }
        }
        return root
    }

    // MARK: Shapes

    /// Whether a record has the shape of a row and is wanted.
    func isRow(_ payload: UnsafeRawBufferPointer, _ wanted: Wanted?) -> Bool {
        guard let row = RawRow(payload, layout) else { return false }
        return wanted.map { $0.isMet(by: row) } ?? true
    }

    private static func take(_ record: RawRecord, row: Int64, _ survey: inout Survey) {
        let values = record.values
        if row == 1, values.count >= 6, takeHead(values, &survey) { return }
        switch values.count {
        case 5:
            guard case .blob(let name) = values[1], name.count == ChangeRequest.nameByteCount,
                case .integer(let status) = values[3]
            else { return }
            let digest: [UInt8]? = if case .blob(let digest) = values[2] { digest } else { nil }
            guard digest.map({ $0.count == ChangeRequest.digestByteCount }) ?? true else { return }
            take(name, digest, status, item: values[4], row: row, &survey)
        case 7:
            // A record of format 2: caller and number make up the name.
            guard case .blob(let caller) = values[1], caller.count == ChangeRequest.formerPartByteCount,
                case .blob(let identifier) = values[2], identifier.count == ChangeRequest.formerPartByteCount,
                case .blob = values[3], case .integer(let status) = values[4], case .integer(let hour) = values[6]
            else { return }
            survey.hour = max(survey.hour ?? .min, hour)
            take(caller + identifier, nil, status, item: values[5], row: row, &survey)
        case 13:
            // A record of the table of recoveries, without an end.
            guard case .integer(let started) = values[1], case .null = values[2], case .integer(let base) = values[3],
                case .integer = values[12], started >= 0, base > 0
            else { return }
            survey.isRecovering = true
        default: break
        }
    }
}

extension DamagedDatabase {
    /// Takes the values of the store's head record; false for another record.
    private static func takeHead(_ values: [RawRecord.Value], _ survey: inout Survey) -> Bool {
        guard case .blob(let uuid) = values[1], let store = StoreIdentifier(uuid),
            values[2].blobCount == Bytes16.count || values[2] == .null, case .integer(let sequence) = values[3],
            values[4...5].allSatisfy({ $0.blobCount == nil }), sequence >= 0,
            sequence <= HighWaterMark.highestClaim
        else { return false }
        survey.store = store
        survey.headSequence = UInt64(sequence)
        survey.sequence = max(survey.sequence, UInt64(sequence))
        // The columns of format 3 and later.
        if values.count > 6, case .integer(let hour) = values[6] { survey.hour = max(survey.hour ?? .min, hour) }
        if values.count > 7, case .blob(let head) = values[7] { survey.head = head }
        return true
    }

    private static func take(
        _ name: [UInt8], _ digest: [UInt8]?, _ status: Int64, item: RawRecord.Value, row: Int64, _ survey: inout Survey
    ) {
        guard survey.requests.count < Int(WriteSession.rememberedRequests) else { return }
        // Anything else names no row, and may be as long as a page.
        let item: [UInt8]? = if case .blob(let item) = item, item.count == Bytes16.count { item } else { nil }
        survey.requests.append(RawRequest(slot: row, name: name, digest: digest, status: status, item: item))
    }
}
