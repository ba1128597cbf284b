/// An option of a daemon's command line, for parsing, usage text and manual page.
///
/// The daemons parse their few options themselves, since an argument library would double their start-up time.
package struct DaemonOption: Sendable {
    /// The option with its dashes.
    package let name: String
    /// The name of its value in usage texts; nil if the option has no value.
    package let valueName: String?
    /// One clause without a full stop.
    package let summary: String

    /// The option with the name of its value, if it has one.
    package var form: String { valueName.map { "\(name) \($0)" } ?? name }

    /// The usage text of a program with these options.
    package static func usage(of program: String, _ options: [DaemonOption]) -> String {
        let width = options.map(\.form.count).max() ?? 0
        return "Usage: \(program)" + options.map { " [\($0.form)]" }.joined() + "\n"
            + options.map { option in
                "  \(option.form)\(String(repeating: " ", count: width - option.form.count))  \(option.summary)\n"
            }.joined()
    }
}
