/// Paths as text: identifiers, lists and messages hold them, and must show what they are.
enum PrintablePath {
    /// The path as text, or nil if it is not UTF-8 or holds control characters, which could rewrite a terminal's line.
    static func text(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isHidden) else {
            return nil
        }
        return text
    }

    /// The canonical path that the kernel names, or nil where it is no such path or as above.
    static func canonical(_ bytes: [UInt8]) -> CanonicalPath? { text(bytes).flatMap { CanonicalPath($0) } }

    /// For messages about a path that cannot be used: control characters are replaced.
    static func shown(_ path: String) -> String {
        String(String.UnicodeScalarView(path.unicodeScalars.prefix(256).map { isHidden($0) ? "\u{FFFD}" : $0 }))
    }

    static func shown(_ bytes: [UInt8]) -> String { shown(String(decoding: bytes, as: UTF8.self)) }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters turn the direction of text around, among others.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
