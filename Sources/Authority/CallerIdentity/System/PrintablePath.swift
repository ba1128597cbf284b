/// Converts paths to text that identifiers, lists and messages can show without misleading anybody.
enum PrintablePath {
    /// The most characters of a path in a message, which stays readable and fits into one line of a log.
    private static let shownCharacters = 256

    /// The path as text, or nil if it is not UTF-8 or contains control characters, which could rewrite a terminal's
    /// line.
    static func text(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isHidden) else {
            return nil
        }
        return text
    }

    /// The canonical path that the kernel names, or nil if it is not canonical or not printable.
    static func canonical(_ bytes: [UInt8]) -> CanonicalPath? { text(bytes).flatMap { CanonicalPath($0) } }

    /// The path for a message, with control characters replaced and at most ``shownCharacters``.
    static func shown(_ path: String) -> String {
        let scalars = path.unicodeScalars.prefix(shownCharacters)
        return String(String.UnicodeScalarView(scalars.map { isHidden($0) ? "\u{FFFD}" : $0 }))
    }

    static func shown(_ bytes: [UInt8]) -> String { shown(String(decoding: bytes, as: UTF8.self)) }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters can, among other things, reverse the direction of text.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
