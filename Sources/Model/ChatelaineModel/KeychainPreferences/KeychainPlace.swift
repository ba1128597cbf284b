/// A keychain in preferences: an absolute path, or a name in the domain's folder of keychains.
///
/// Places are equal if their bytes are. No symbolic link is resolved; the code that opens the file does that.
package struct KeychainPlace: BytewiseText {
    /// `PATH_MAX`; the kernel opens no longer path.
    package static let maximumBytes = 4096

    package let text: String

    /// Nil unless the text is a name, or a path whose components are all names.
    package init?(_ text: String) {
        guard 1...Self.maximumBytes ~= text.utf8.count, !text.utf8.contains(0) else { return nil }
        let isAbsolute = text.utf8.first == Self.slash
        let names = text.utf8.dropFirst(isAbsolute ? 1 : 0).split(
            separator: Self.slash, omittingEmptySubsequences: false)
        guard names.count == 1 || isAbsolute, names.allSatisfy(Self.isName) else { return nil }
        self.text = text
    }

    /// A path joined from two valid parts; it may be too long.
    init(long text: String) { self.text = text }

    package var isAbsolute: Bool { text.utf8.first == Self.slash }

    /// The name of a file directly in a folder; nil for any other path.
    func name(in folder: String) -> Substring? {
        guard text.utf8.starts(with: (folder + "/").utf8) else { return nil }
        let name = text.utf8.dropFirst(folder.utf8.count + 1)
        return name.contains(Self.slash) ? nil : Substring(name)
    }

    private static let slash = UInt8(ascii: "/")

    private static func isName(_ component: Substring.UTF8View) -> Bool {
        !component.isEmpty && !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8)
    }
}
