import AgentProtocol
import ChatelaineModel

/// What the agent is told about a question.
extension Dialog {
    /// - Parameter place: at a display the agent gets no terminal, so that a pinentry that cannot open the display does
    ///   not fall back to the terminal of the caller, where wrong secrets are counted.
    init(_ question: PersonQuestion, at place: DialogPlace, seconds: UInt32, hasPasscode: Bool) {
        let terms = question.proof.terms
        self.init(
            terms.kind, to: question.subject.purpose, program: question.caller.executablePath.text,
            assurance: question.caller.assurance, seconds: seconds, hasPasscode: hasPasscode)
        item = question.subject.text
        reason = question.reason
        cancelTitle = question.cancelTitle
        fallbackTitle = question.fallbackTitle
        terminal = if case .terminal(let path) = place { path } else { nil }
        hasReader = terms.hasReader
        question.subject.complete(&self, of: question)
    }

    /// Sets the text that says why the dialog is shown again.
    mutating func note(_ problem: DialogProblem, _ standing: PasscodeStanding) {
        self.problem = problem
        triesLeft = standing.triesLeft
        // Rounded up, so that nobody tries too early.
        delay = UInt32(clamping: (standing.delay + 999) / 1000)
    }
}
