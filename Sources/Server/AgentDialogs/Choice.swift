import AgentProtocol

/// Asks for one of several answers by buttons.
///
/// *Deny* is a further answer, and so is every other end of a dialog.
///
/// A terminal has three buttons, so that a third answer takes a second dialog. On displays, some flavours of pinentry
/// have only two buttons, or report a second button like a closed dialog. There each answer has a dialog, whose other
/// button leads to the next.
struct Choice {
    /// The title of a button, and its reply.
    struct Answer: Equatable {
        let title: String
        let reply: DialogReply
    }

    private let answers: [Answer]
    private let pinentry: Pinentry
    private let isOnTerminal: Bool
    private let milliseconds: Int

    init(_ answers: [Answer], on pinentry: Pinentry, isOnTerminal: Bool, _ milliseconds: Int) {
        self.answers = answers
        self.pinentry = pinentry
        self.isOnTerminal = isOnTerminal
        self.milliseconds = milliseconds
    }

    func ask() throws(PinentryFailure) -> DialogReply {
        let reply = try isOnTerminal ? askInTerminal() : askOnDisplay()
        // The next dialog has no third button.
        if isOnTerminal { try pinentry.reset() }
        return reply
    }

    private func askInTerminal() throws(PinentryFailure) -> DialogReply {
        guard let first = answers.first else { return .denied }
        let others = Array(answers.dropFirst())
        // Enter presses the first button, which therefore allows the least.
        let second = others.count > 1 ? Answer(title: DialogText.fromNowOn, reply: .always) : others.first
        let reply = try confirm(first, second)
        guard others.count > 1, reply == .always, let last = others.last else { return reply }
        return try confirm(others[0], last)
    }

    private func askOnDisplay() throws(PinentryFailure) -> DialogReply {
        for (index, answer) in answers.enumerated() {
            let isLast = index == answers.count - 1
            try pinentry.set("SETOK", answer.title)
            try pinentry.set("SETCANCEL", isLast ? DialogText.deny : DialogText.another)
            let given = try pinentry.askForConfirmation(milliseconds: milliseconds)
            if given == .ok { return answer.reply }
            let reply = DialogAgent.reply(to: given, whenRefused: .denied)
            guard reply == .denied, !isLast else { return reply }
        }
        return .denied
    }

    private func confirm(_ first: Answer, _ second: Answer?) throws(PinentryFailure) -> DialogReply {
        try pinentry.set("SETOK", first.title)
        try pinentry.set("SETCANCEL", DialogText.deny)
        if let second { try pinentry.set("SETNOTOK", second.title) }
        let given = try pinentry.askForConfirmation(milliseconds: milliseconds)
        if given == .ok { return first.reply }
        if let second, given == .error(AssuanLine.Number.notConfirmed) { return second.reply }
        return DialogAgent.reply(to: given, whenRefused: .denied)
    }
}
