/// The reason that a program gives for what a person is asked (`kSecUseOperationPrompt`). A dialog shows it as the program's own words.
package struct OperationPrompt: Hashable, Sendable {
    /// ``Limits/promptBytes`` at the most.
    package let text: String

    /// As much of a text as fits; a call does not fail for a long one.
    package init(_ text: String) { self.text = ExactText(text, limit: Limits.promptBytes).text }
}

extension OperationPrompt: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        text = try reader.readText(limit: Limits.promptBytes)
    }
}
