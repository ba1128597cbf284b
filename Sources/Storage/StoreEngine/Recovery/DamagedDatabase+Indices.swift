import ChatelaineModel

/// The index by identifier, as far as it is there.
struct IdentifierIndex: Sendable {
    var identifiers: Set<Bytes16> = []
    /// Whether it proves to have all that there were when the database was as it is now.
    var isComplete = false
    /// Whether that was after the last change.
    var isCurrent = false
}

/// What the indices of a damaged database tell of rows, whichever pages they are on.
extension DamagedDatabase {
    /// - Parameter known: some identifiers of rows of this store, by which the index is told from those of digests where the
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
            // By its name it needs no second witness.
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

    /// Records of all indices of the table of rows, wherever they are; of pages whose newest image is garbled none, since an older one
    /// also names what is not there any more.
    func forEachIndexEntry(_ body: (IndexEntry) -> Void) {
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            guard !log.distrusted.contains(number) else { return true }
            RawPage(bytes, number: number)?.forEachIndexEntry { entry in
                if let entry { body(entry) }
            }
            return true
        }
    }

    /// Ids of the rows whose cells are whole, ascending; and the identifiers of those that are shaped as rows and are not whole.
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
