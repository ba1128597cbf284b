/// Writes words for shells.
enum ShellText {
    static let header = "# Written by Tools/generate-pages.sh from the description of the commands; do not edit.\n"

    /// The text in single quotes, for bash and zsh.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// The text in single quotes, for fish.
    static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    /// The text as one clause of a list: without the full stop, and without typographic quotes, which some terminals
    /// lack.
    static func summary(_ text: String) -> String {
        let text = text.replacing("“", with: "\"").replacing("”", with: "\"").replacing("…", with: "...")
        return text.hasSuffix(".") && !text.hasSuffix("..") ? String(text.dropLast()) : text
    }
}
