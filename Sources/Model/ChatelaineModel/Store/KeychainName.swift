/// The name of a keychain among the stores, which is that of its folder.
///
/// A name is one path component on any file system. It has no dot, since the other files of a store lie beside it under
/// its name with an ending (`default.snapshots`). It has no capitals, since some file systems ignore case.
package struct KeychainName: Hashable, Sendable, CustomStringConvertible {
    /// Short enough for a line of a report, and with the longest ending well below the 255 bytes of a file's name.
    package static let maximumBytes = 64

    /// The data protection keychain of a user.
    package static let `default` = KeychainName(known: "default")

    package let text: String
    package var description: String { text }

    private init(known text: String) { self.text = text }

    /// The name of a file keychain, which has a folder of that name while it is open.
    package init(of store: StoreIdentifier) { self.init(known: Hexadecimal.text(of: store.bytes)) }

    /// Nil unless the text has 1 to ``maximumBytes`` of `a` to `z`, `0` to `9`, `-` and `_`, and begins with a letter
    /// or digit.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= Self.maximumBytes, Self.isLetterOrDigit(first),
            bytes.allSatisfy({ Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.text = text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
