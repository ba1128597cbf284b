/// What securityd and security-agent, which shows its dialogs, say to each other (`Documentation/formats/agent-protocol.md`).
///
/// securityd sends a ``Dialog`` and, where something is to be typed, the writing end of a pipe. The agent answers with a
/// ``DialogReply``. Where a finger is waited for at the same time, it says before that it shows the dialog. Where a passcode was wrong, the same dialog is sent once more, with the problem and another pipe.
///
/// Nothing secret is in any of these messages. What is typed goes through the pipe, whose reading end securityd passes on.
package enum AgentProtocol {}

/// Sizes of the agent's protocol. Both ends come from one build, so there is no negotiation.
package enum AgentWire {
    package static let version: UInt64 = 5
    /// A dialog with all its texts, or a reply.
    package static let maximumFrameBytes = 32 * 1024
    /// One text of a dialog. Less is shown of it; whoever sends one cuts it.
    package static let maximumTextBytes = 2048
    /// A password that is asked for; a passcode is shorter. A pipe takes as much at once.
    package static let maximumTypedBytes = 1024
    /// The name of a terminal.
    package static let maximumPathBytes = 256
    /// How long a dialog may stay, in seconds.
    package static let seconds: ClosedRange<UInt32> = 1...3600

    /// `text` cut so that its UTF-8 fits.
    package static func fitting(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        // A scalar takes four bytes at the most, so this many are certain to fit. Whoever sent a mebibyte has no more of it looked at.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumTextBytes / 4)))
    }
}
