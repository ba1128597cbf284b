/// An option of a daemon's command line: what is parsed, shown as usage, and described in its manual page.
///
/// The daemons read their few words by hand, since an argument library would double the time they take to start.
package struct DaemonOption: Sendable {
    /// With its dashes.
    package let name: String
    /// What its value is called, or nil where it has none.
    package let valueName: String?
    /// One clause without a full stop.
    package let summary: String

    /// The name, and the value's where there is one.
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
