/// The messages between securityd and security-agent, which shows its dialogs
/// (`Documentation/formats/agent-protocol.md`).
///
/// securityd sends a ``Dialog`` and, where something is to be typed, the writing end of a pipe. The agent answers with
/// a ``DialogReply``. Where the dialog also waits for a finger, the agent first replies that it shows the dialog. After
/// a wrong passcode securityd sends the same dialog again, with the problem and another pipe.
///
/// No message contains a secret. What a person types goes through the pipe, whose reading end securityd passes on.
package enum AgentProtocol {}

/// Sizes of the agent's protocol. Both ends come from one build, so there is no negotiation.
package enum AgentWire {
    package static let version: UInt64 = 5
    /// A dialog with all its texts, or a reply.
    package static let maximumFrameBytes = 32 * 1024
    /// One text of a dialog. The agent shows less of it; the sender cuts it to this length.
    static let maximumTextBytes = 2048
    /// A password that a person types; a passcode is shorter. A pipe takes as much at once.
    package static let maximumTypedBytes = 1024
    /// The path of a terminal.
    static let maximumPathBytes = 256
    /// How long a dialog may be shown, in seconds.
    package static let seconds: ClosedRange<UInt32> = 1...3600

    /// `text` cut so that its UTF-8 fits.
    package static func fitting(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        // A scalar takes four bytes at the most, so this many certainly fit. The work stays small however long the text
        // is.
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumTextBytes / 4)))
    }
}
