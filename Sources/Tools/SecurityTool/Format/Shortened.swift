/// Cuts long words of a table in the middle, unless two words would become equal.
struct Shortened {
    /// Room for a short path; the beginning shows the kind of a group, and the end shows which one it is.
    private static let columns = 28
    private static let mark = "…"

    private let isUsed: Bool

    init(_ words: [String]) {
        let distinct = Set(words)
        isUsed = Set(distinct.map(Self.cut)).count == distinct.count
    }

    /// The word, or its beginning and end.
    func text(_ word: String) -> String { isUsed ? Self.cut(word) : word }

    private static func cut(_ word: String) -> String {
        guard Columns.width(of: word) > columns else { return word }
        var (head, tail) = (Substring(), Substring())
        while Columns.width(of: String(head)) < columns / 3 { head = word.prefix(head.count + 1) }
        while Columns.width(of: String(tail)) < columns - columns / 3 - 2 { tail = word.suffix(tail.count + 1) }
        return head + mark + tail
    }
}
