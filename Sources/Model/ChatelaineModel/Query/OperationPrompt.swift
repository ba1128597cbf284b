/// The reason that a program gives for a prompt (`kSecUseOperationPrompt`).
///
/// A dialog shows it as the program's own words.
package struct OperationPrompt: Hashable, Sendable {
    /// At most ``Limits/promptBytes``.
    package let text: String

    /// Cuts the text to the limit, so that no call fails because of a long one.
    package init(_ text: String) { self.text = ExactText(text, limit: Limits.promptBytes).text }
}

extension OperationPrompt: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        text = try reader.readText(limit: Limits.promptBytes)
    }
}
