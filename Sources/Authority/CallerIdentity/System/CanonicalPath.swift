import ChatelaineModel

/// An absolute path without links, dots or empty components, as the kernel names a file.
///
/// It is split by bytes, because `String` merges a slash and a following combining accent into another character.
package struct CanonicalPath: BytewiseText {
    /// In bytes: `PATH_MAX`; the kernel names no longer path.
    package static let longest = 4096

    private static let slash = UInt8(ascii: "/")

    package let text: String

    /// Nil if `text` has not the form of such a path. It does not check that the file exists, or that no link is on the
    /// way.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest, text.utf8.first == Self.slash, !text.utf8.contains(0) else { return nil }
        let names = text.utf8.dropFirst().split(separator: Self.slash, omittingEmptySubsequences: false)
        guard
            text.utf8.count == 1
                || !names.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        self.text = text
    }

    private init(checked text: Substring) { self.text = String(text) }

    var isRoot: Bool { text.utf8.count == 1 }

    /// The names on the way down from `/`.
    var components: [String] {
        text.utf8.split(separator: Self.slash).map { String(Substring($0)) }
    }

    /// The last component; empty for `/`.
    var name: Substring {
        text[(text.utf8.lastIndex(of: Self.slash).map(text.utf8.index(after:)) ?? text.startIndex)...]
    }

    /// The folder that holds the file; `/` for `/`.
    var folder: CanonicalPath {
        let end = text.utf8.lastIndex(of: Self.slash) ?? text.startIndex
        return CanonicalPath(checked: end == text.startIndex ? "/" : text[..<end])
    }

    /// Whether this is `other`, or a folder somewhere above it.
    package func holds(_ other: CanonicalPath) -> Bool {
        guard !isRoot else { return true }
        return other.text.utf8.starts(with: text.utf8)
            && (other.text.utf8.count == text.utf8.count
                || other.text.utf8.dropFirst(text.utf8.count).first == Self.slash)
    }

    /// The path without an ending that the kernel appends; nil if the ending is absent or no path remains.
    func without(ending: StaticString) -> CanonicalPath? {
        let mark = ending.withUTF8Buffer { [UInt8]($0) }
        guard text.utf8.count > mark.count, text.utf8.suffix(mark.count).elementsEqual(mark) else { return nil }
        return CanonicalPath(String(Substring(text.utf8.dropLast(mark.count))))
    }
}
