import ChatelaineSystem

/// Converts paths to text that identifiers, lists and messages can show without misleading anybody.
enum PrintablePath {
    /// The most characters of a path in a message, which stays readable and fits into one line of a log.
    private static let shownCharacters = 256

    /// The path as text, or nil if it is not UTF-8 or contains control characters, which could rewrite a terminal's
    /// line.
    static func text(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: \.isMisleading)
        else {
            return nil
        }
        return text
    }

    /// The canonical path that the kernel names, or nil if it is not canonical or not printable.
    static func canonical(_ bytes: [UInt8]) -> CanonicalPath? { text(bytes).flatMap { CanonicalPath($0) } }

    /// The path for a message, with control characters replaced and at most ``shownCharacters``.
    static func shown(_ path: String) -> String {
        let scalars = path.unicodeScalars.prefix(shownCharacters)
        return String(String.UnicodeScalarView(scalars.map { $0.isMisleading ? "\u{FFFD}" : $0 }))
    }

    static func shown(_ bytes: [UInt8]) -> String { shown(String(decoding: bytes, as: UTF8.self)) }
}
