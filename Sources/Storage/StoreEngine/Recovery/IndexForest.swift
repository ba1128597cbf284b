/// The trees of the indices of a table of rows, put together from the pages that are sound, with or without the first one.
struct IndexForest: Sendable {
    /// One index, as far as it is there.
    struct Tree: Sendable {
        var shape: IndexEntry.Shape
        var pages: [UInt32] = []
        var rows = RowSet()
        /// Whether no page of it is missing below its root. That the root itself is one is for others to prove: where that of a
        /// large index is gone, each page below it looks like a small one.
        var isWhole = true
    }

    private struct Node {
        var shape: IndexEntry.Shape
        var children: [UInt32]
        var rows: RowSet
        var isSound: Bool
    }

    let trees: [Tree]

    /// Goes through all pages once; those whose newest image is garbled count as missing.
    ///
    /// - Parameter shapes: those of the indices that are wanted; pages of others are passed over by their first record.
    init(of database: DamagedDatabase, shapes: Set<IndexEntry.Shape>) {
        var nodes: [UInt32: Node] = [:]
        database.forEachPage(in: 1..<database.pageCount + 1) { number, bytes in
            guard !database.log.distrusted.contains(number), let page = RawPage(bytes, number: number), page.isIndex
            else { return true }
            guard let first = page.firstIndexEntry, shapes.contains(first.shape) else { return true }
            var node: Node?
            page.forEachIndexEntry { entry in
                guard let entry, node.map({ $0.shape == entry.shape }) ?? true else {
                    node?.isSound = false
                    return
                }
                if node == nil { node = Node(shape: entry.shape, children: [], rows: RowSet(), isSound: true) }
                node?.rows.insert(entry.row)
            }
            guard var node else { return true }
            if page.kind == .indexInterior {
                node.children = page.children ?? []
                if page.children == nil { node.isSound = false }
            }
            nodes[number] = node
            return true
        }
        let inner = Set(nodes.values.flatMap(\.children))
        trees = nodes.keys.filter { !inner.contains($0) }.sorted().compactMap { Self.tree(from: $0, nodes) }
    }

    private static func tree(from root: UInt32, _ nodes: [UInt32: Node]) -> Tree? {
        guard let shape = nodes[root]?.shape else { return nil }
        var tree = Tree(shape: shape)
        var seen: Set<UInt32> = []
        var waiting = [root]
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted, let node = nodes[number], node.shape == shape, node.isSound else {
                tree.isWhole = false
                continue
            }
            tree.pages.append(number)
            tree.rows.formUnion(node.rows)
            waiting += node.children
        }
        return tree
    }

    /// The rows that there were, where two indices that are sorted differently, or the table and one of them, agree: what is
    /// missing from one could not be missing from the other by chance.
    func rows(agreeingWith table: RowSet?) -> RowSet? {
        let unique = trees.filter { $0.shape == .unique }
        guard unique.count == 1, let rows = unique.first, rows.isWhole, rows.rows.count > 0 else { return nil }
        if table == rows.rows { return rows.rows }
        return trees.contains { $0.shape == .short && $0.isWhole && $0.rows == rows.rows } ? rows.rows : nil
    }
}
