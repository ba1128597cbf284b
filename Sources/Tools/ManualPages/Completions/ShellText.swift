/// Words for shells.
enum ShellText {
    static let header = "# Written by Tools/generate-pages.sh from the description of the commands; do not edit.\n"

    /// In single quotes, as bash and zsh read them.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// In single quotes, as fish reads them.
    static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    /// One clause for a list: without the full stop, and without typographic quotes, which not every terminal has.
    static func summary(_ text: String) -> String {
        let text = text.replacing("“", with: "\"").replacing("”", with: "\"").replacing("…", with: "...")
        return text.hasSuffix(".") && !text.hasSuffix("..") ? String(text.dropLast()) : text
    }
}
