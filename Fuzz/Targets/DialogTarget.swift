import AgentProtocol
import ChatelaineMemory

@testable import AgentDialogs

/// Checks lines from pinentry, and untrusted text in dialogs.
///
/// A line of pinentry yields no more than the limit. Untrusted text stays on its line and within its length.
enum DialogTarget {
    private static let limit = 64

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let kind = intake.byte()
        let content = intake.rest()
        switch kind {
        case 0: checkLine(content)
        default: checkText(String(decoding: content, as: UTF8.self))
        }
    }

    private static func checkLine(_ line: UnsafeRawBufferPointer) {
        guard AssuanLine(line) == .data else { return }
        var data = SecretBuffer(capacity: limit)
        let isRight = AssuanLine.append(line, to: &data, limit: limit)
        precondition(data.count <= limit && (!isRight || data.count <= line.count - 2), "more than there was")
    }

    private static func checkText(_ text: String) {
        for shown in [PlainText.shown(text, limit: limit), PlainText.path(text, limit: limit)] {
            precondition(AssuanText.escaped(shown).utf8.count <= limit, "longer than it may be")
            for scalar in shown.unicodeScalars {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: preconditionFailure("not plain")
                default: precondition(!"<>&\"“”".unicodeScalars.contains(scalar), "markup, or an end of ours")
                }
            }
        }
    }
}
