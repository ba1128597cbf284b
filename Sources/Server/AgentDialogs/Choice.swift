import AgentProtocol

/// Which of several answers a person gives by buttons. *Deny* is one more, and so is whatever ends a dialog.
///
/// A terminal has three buttons, so that a third answer takes a second dialog. Some flavours of displays have two, or say the same of a second one and
/// of a dialog that was closed: there each answer has a dialog, whose other button leads on.
struct Choice {
    /// What a button is called, and what it leads to.
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
        // A third button is none of the next dialog's.
        if isOnTerminal { try pinentry.reset() }
        return reply
    }

    private func askInTerminal() throws(PinentryFailure) -> DialogReply {
        guard let first = answers.first else { return .denied }
        let others = Array(answers.dropFirst())
        // Enter is the first button, and so the least that is allowed.
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
