/// What a keychain of ours is called: the name of its folder among the stores.
///
/// A name is one component of a path on any file system. It has no dot, since what belongs to a store lies beside it under
/// its name and an ending (`default.snapshots`), and no capitals, which some file systems do not tell from small letters.
package struct KeychainName: Hashable, Sendable, CustomStringConvertible {
    /// With the longest ending well below the 255 bytes of a file's name, and short enough for a line of a report.
    package static let maximumBytes = 64

    /// The data protection keychain of a user.
    package static let `default` = KeychainName(known: "default")

    package let text: String
    package var description: String { text }

    private init(known text: String) { self.text = text }

    /// A file keychain's, which has a folder of that name while it is open.
    package init(of store: StoreIdentifier) { self.init(known: Hexadecimal.text(of: store.bytes)) }

    /// Nil unless there are 1 to ``maximumBytes`` of `a` to `z`, `0` to `9`, `-` and `_`, of which the first is a letter or digit.
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
