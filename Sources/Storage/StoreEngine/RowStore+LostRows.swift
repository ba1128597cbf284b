import ChatelaineModel

/// The rows that only the indices of a damaged file still name.
extension RowStore {
    /// Rows that one pass through the indices looks at; their evidence takes some tens of megabytes.
    private static let rowsPerPass = 65_536
    /// Rows of the store that are compared for one digest, where no better evidence tells which row is meant.
    private static let alikeRows = 64

    /// The values that the indices have of one row.
    private struct Evidence {
        /// The identifier in a cell of the table that is not whole.
        var identifier: [UInt8]?
        var unique: [UInt8]?
        /// The identifier and the digests of searches, which cannot be told apart.
        var short: Set<Bytes16> = []
    }

    /// Lists the rows that only indices know; answers how many there are.
    ///
    /// Every index counts, since each may be the only one that is whole. A row that came from the snapshot meanwhile is
    /// not lost.
    func listLostRows(of recovery: Recovery) throws(KeychainError) -> Int {
        guard !recovery.isComplete, let source = recovery.source else { return 0 }
        let (whole, broken) = source.rowsInTable()
        var named = Set(broken.keys)
        source.forEachIndexEntry { entry in
            if !whole.hasInOrder(entry.row) { named.insert(entry.row) }
        }
        guard !named.isEmpty else { return 0 }
        let setAside = try damagedIdentifiers(recovery)
        let identifiers = try recovery.namedIdentifiers()
        let rows = named.sorted()
        var lost = 0
        var unnamed = 0
        for start in stride(from: 0, to: rows.count, by: Self.rowsPerPass) {
            let some = rows[start..<min(start + Self.rowsPerPass, rows.count)]
            var lines: [(event: LossList.Event, fields: [(name: String, value: LossList.Value)])] = []
            for (_, evidence) in Self.evidence(some, source, broken).sorted(by: { $0.key < $1.key }) {
                let identifier = evidence.identifier ?? evidence.short.first { identifiers.contains($0) }?.array
                if let identifier {
                    guard !setAside.contains(identifier), try !isPresent(identifier) else { continue }
                    lines.append((.lost, [("item", LossList.text(identifier))]))
                } else if let unique = evidence.unique {
                    guard try !isPresent(unique: unique, recovery) else { continue }
                    lines.append((.lost, [("digest", LossList.text(unique))]))
                } else if let short = evidence.short.first {
                    guard try !isPresent(evidence.short) else { continue }
                    lines.append((.lost, [("digest", LossList.text(short.array))]))
                } else {
                    unnamed += 1
                }
            }
            try lossList.append(lines)
            lost += lines.count
        }
        // Only the group of these rows is known, so that as many of them may be rows restored from the snapshot.
        unnamed -= try counts(of: recovery).restored
        if unnamed > 0 {
            try lossList.append([(.lost, [("items", .number(Int64(unnamed)))])])
            lost += unnamed
        }
        return lost
    }

    private static func evidence(
        _ rows: ArraySlice<Int64>, _ source: DamagedDatabase, _ broken: [Int64: [UInt8]]
    ) -> [Int64: Evidence] {
        var found: [Int64: Evidence] = [:]
        for row in rows { found[row] = Evidence(identifier: broken[row]) }
        source.forEachIndexEntry { entry in
            guard found[entry.row] != nil else { return }
            switch entry.shape {
            case .short: if let value = Bytes16(entry.value) { found[entry.row]?.short.insert(value) }
            case .unique: found[entry.row]?.unique = [UInt8](entry.value)
            case .group: break
            }
        }
        return found
    }

    private func isPresent(_ identifier: [UInt8]) throws(KeychainError) -> Bool {
        try readers.read { (reader) throws(KeychainError) in try Self.isPresent(identifier, reader) }
    }

    /// Whether a row has this unique digest, or came from the snapshot with it and was changed or deleted since.
    private func isPresent(unique digest: [UInt8], _ recovery: Recovery) throws(KeychainError) -> Bool {
        let isThere = try readers.read { (reader) throws(KeychainError) in
            guard let unique = layout.unique else { return false }
            let statement = try PreparedStatement(
                reader.handle, "SELECT 1 FROM \(layout.table) WHERE \(layout.name(unique)) = ?1")
            try statement.bind(1, digest)
            return try statement.step()
        }
        if isThere { return true }
        let saved = try reading(recovery) { (snapshot) throws(KeychainError) in
            try snapshot.row(identifier: [], unique: digest)
        }
        guard let saved else { return false }
        return try isPresent(saved.identifier)
    }

    /// Whether one row has all of these values.
    private func isPresent(_ values: Set<Bytes16>) throws(KeychainError) -> Bool {
        guard let value = values.first else { return false }
        return try readers.read { (reader) throws(KeychainError) in
            let columns = layout.shortKeys
            for column in columns {
                let statement = try PreparedStatement(
                    reader.handle,
                    """
                    SELECT \(layout.list(columns)) FROM \(layout.table) WHERE \(layout.name(column)) = ?1 LIMIT \(Self.alikeRows)
                    """)
                try statement.bind(1, value)
                while try statement.step() {
                    let present = Set(columns.indices.compactMap { Bytes16(statement.lend(Int32($0))) })
                    if values.isSubset(of: present) { return true }
                }
            }
            return false
        }
    }
}

extension [Int64] {
    /// Whether an ascending array has a number.
    fileprivate func hasInOrder(_ number: Int64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}
