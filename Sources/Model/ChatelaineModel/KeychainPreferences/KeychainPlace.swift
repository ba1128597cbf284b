/// Where a keychain is, as preferences say it: an absolute path, or a name in the folder of keychains of a domain.
///
/// Two of them are the same where their bytes are. No symbolic link is followed: whoever opens the file does that.
package struct KeychainPlace: BytewiseText {
    /// `PATH_MAX`; the kernel opens no longer ones.
    package static let maximumBytes = 4096

    package let text: String

    /// Nil unless it is a name, or a path all of whose components are names.
    package init?(_ text: String) {
        guard 1...Self.maximumBytes ~= text.utf8.count, !text.utf8.contains(0) else { return nil }
        let isAbsolute = text.utf8.first == Self.slash
        let names = text.utf8.dropFirst(isAbsolute ? 1 : 0).split(
            separator: Self.slash, omittingEmptySubsequences: false)
        guard names.count == 1 || isAbsolute, names.allSatisfy(Self.isName) else { return nil }
        self.text = text
    }

    /// A path made of two that are good; it may be too long.
    init(long text: String) { self.text = text }

    package var isAbsolute: Bool { text.utf8.first == Self.slash }

    /// The name of a file in a folder; nil for one elsewhere, or further below.
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
