import ChatelaineModel

/// The readable part of the index by identifier.
struct IdentifierIndex: Sendable {
    var identifiers: Set<Bytes16> = []
    /// Whether the index proves to have all rows of the database's present state.
    var isComplete = false
    /// Whether that state is the one after the last change.
    var isCurrent = false
}

/// What the indices of a damaged database tell of its rows, on whichever pages they are.
extension DamagedDatabase {
    /// Finds the index by identifier.
    ///
    /// - Parameter known: some identifiers of rows of this store. They tell the index from those of digests where the
    ///   first page does not say which it is.
    func identifierIndex(known: Set<Bytes16>) -> IdentifierIndex {
        let forest = IndexForest(of: self, shapes: [.unique, .short])
        var index = IdentifierIndex()
        let named = layout.columns[layout.identifier].index.flatMap { rootPage(of: $0) }
        let all = named == nil && log.distrusted.isEmpty ? forest.rows(agreeingWith: nil) : nil
        for tree in forest.trees where tree.shape == .short {
            let found = identifiers(on: tree.pages)
            let isNamed = named.map { tree.pages.contains($0) } ?? false
            guard isNamed || !found.isDisjoint(with: known) else { continue }
            index.identifiers.formUnion(found)
            // An index that the schema names needs no second index to agree with it.
            guard tree.isWhole, log.distrusted.isEmpty else { continue }
            if isNamed && tree.pages.first == named || all == tree.rows { index.isComplete = true }
        }
        return index
    }

    private func identifiers(on pages: [UInt32]) -> Set<Bytes16> {
        var identifiers: Set<Bytes16> = []
        for number in pages {
            guard let bytes = page(number) else { continue }
            bytes.withUnsafeBytes { bytes in
                RawPage(bytes, number: number)?.forEachIndexEntry { entry in
                    if let entry, let value = Bytes16(entry.value) { identifiers.insert(value) }
                }
            }
        }
        return identifiers
    }

    /// Passes the records of all indices of the table of rows to `body`, on whichever pages they are.
    ///
    /// A page whose newest image is garbled is left out, since an older image also names removed rows.
    func forEachIndexEntry(_ body: (IndexEntry) -> Void) {
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            guard !log.distrusted.contains(number) else { return true }
            RawPage(bytes, number: number)?.forEachIndexEntry { entry in
                if let entry { body(entry) }
            }
            return true
        }
    }

    /// The ids of rows with whole cells, ascending, and the identifiers of cells with the shape of a row that are not
    /// whole.
    func rowsInTable() -> (whole: [Int64], broken: [Int64: [UInt8]]) {
        var whole: [Int64] = []
        var broken: [Int64: [UInt8]] = [:]
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            guard let page = RawPage(bytes, number: number) else { return true }
            page.forEachCell { cell in
                guard let cell, let row = RawRow(cell.local, layout) else { return }
                if isWhole(cell) { whole.append(cell.row) } else { broken[cell.row] = row.identifier?.array }
            }
            return true
        }
        return (whole.sorted(), broken)
    }
}
