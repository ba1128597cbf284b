/// The trees of the indices of a table of rows, built from the sound pages, with or without the first page.
struct IndexForest: Sendable {
    /// The readable part of one index.
    struct Tree: Sendable {
        var shape: IndexEntry.Shape
        var pages: [UInt32] = []
        var rows = RowSet()
        /// Whether the tree has all pages below its root.
        ///
        /// It is unproven that the root is one: where the root of a large index is gone, each page below it looks like
        /// a small index.
        var isWhole = true
    }

    private struct Node {
        var shape: IndexEntry.Shape
        var children: [UInt32]
        var rows: RowSet
        var isSound: Bool
    }

    /// The most trees for which the pages below a root are read.
    ///
    /// In a sound file a page belongs to one tree, and an old image of a root adds one. In a crafted file thousands of
    /// roots can lead to the same thousands of pages.
    private static let treesPerPage = ChainClaims.cellsPerPage

    let trees: [Tree]

    /// Reads all pages once; a page whose newest image is garbled counts as missing.
    ///
    /// - Parameter shapes: the shapes of the wanted indices; pages of other indices are skipped by their first record.
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
        var uses: [UInt32: Int] = [:]
        trees = nodes.keys.filter { !inner.contains($0) }.sorted().compactMap { Self.tree(from: $0, nodes, &uses) }
    }

    /// - Parameter uses: the number of trees that have each page so far.
    private static func tree(from root: UInt32, _ nodes: [UInt32: Node], _ uses: inout [UInt32: Int]) -> Tree? {
        guard let shape = nodes[root]?.shape else { return nil }
        var tree = Tree(shape: shape)
        var seen: Set<UInt32> = []
        var waiting = [root]
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted, let node = nodes[number], node.shape == shape, node.isSound,
                uses[number, default: 0] < treesPerPage
            else {
                tree.isWhole = false
                continue
            }
            uses[number, default: 0] += 1
            tree.pages.append(number)
            tree.rows.formUnion(node.rows)
            waiting += node.children
        }
        return tree
    }

    /// The rows of the database, where two differently sorted indices agree, or the table and one of them; nil
    /// otherwise.
    ///
    /// A row that is missing from one could not be missing from the other by chance.
    func rows(agreeingWith table: RowSet?) -> RowSet? {
        let unique = trees.filter { $0.shape == .unique }
        guard unique.count == 1, let rows = unique.first, rows.isWhole, rows.rows.count > 0 else { return nil }
        if table == rows.rows { return rows.rows }
        return trees.contains { $0.shape == .short && $0.isWhole && $0.rows == rows.rows } ? rows.rows : nil
    }
}
