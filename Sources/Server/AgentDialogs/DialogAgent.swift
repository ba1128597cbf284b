import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineSystem
import Glibc
import PasswordQuality

/// Runs security-agent: one dialog, which comes again as long as the typed secret is wrong.
package final class DialogAgent {
    /// Seconds that a pinentry may stay beyond its time-out before it is ended.
    private static let grace = 5
    /// How often the two entries of a new password may differ.
    private static let mostComparisons = 5

    private let channel: FrameChannel
    private let pinentryPath: String
    private let environment: [String]
    private let confine: () -> Void
    private var pinentry: Pinentry?
    private var terminal: Terminal?
    private var isOnTerminal = false

    /// Makes an agent that serves one channel.
    ///
    /// - Parameters:
    ///   - socket: the channel to securityd, which the agent takes over.
    ///   - environment: the whole environment of pinentry.
    ///   - confine: confines this process, once it has started its children.
    package init(
        channel socket: Int32, pinentry path: String, environment: [String], confine: @escaping () -> Void
    ) {
        channel = FrameChannel(descriptor: socket)
        pinentryPath = path
        self.environment = environment
        self.confine = confine
    }

    /// Serves securityd until securityd closes the channel.
    package func run() {
        while true {
            do {
                let (dialog, pipe) = try channel.withFrame(limit: AgentWire.maximumFrameBytes) { frame, descriptors in
                    let dialog = try Dialog(frame: frame)
                    guard descriptors.count <= 1 else { throw FrameError.unexpected }
                    let pipe = descriptors.duplicate(at: 0)?.release() ?? -1
                    return (dialog, OwnedPipe(pipe))
                }
                let reply = try show(dialog, pipe)
                try channel.send { reply.encodeFrame(to: &$0) }
            } catch {
                break
            }
        }
        end()
    }

    private func end() {
        pinentry?.end()
        pinentry = nil
        terminal?.restore()
    }

    /// Shows a dialog, and turns failures into replies.
    ///
    /// - Throws: ``PinentryFailure/withdrawn``.
    private func show(_ dialog: Dialog, _ pipe: OwnedPipe) throws -> DialogReply {
        do throws(PinentryFailure) {
            return try ask(dialog, on: running(for: dialog), pipe)
        } catch {
            if error != .withdrawn { end() }
            switch error {
            case .withdrawn: throw error
            case .missing: return .noPinentry
            case .unsafe: return .unsafePinentry
            case .nowhere: return .nowhere
            case .confused: return .failed
            case .overdue: return .timedOut
            }
        }
    }

    /// The pinentry, which starts with the first round and stays for the others.
    private func running(for dialog: Dialog) throws(PinentryFailure) -> Pinentry {
        if let pinentry { return pinentry }
        if let path = dialog.terminal { terminal = Terminal(path) }
        let hasTerminal = terminal != nil
        guard hasTerminal || environment.contains(where: PinentryName.namesDisplay) else { throw .nowhere }
        let program = try PinentryProgram(at: pinentryPath)
        let pinentry = try Pinentry(program, environment: environment, watching: channel.socket)
        terminal?.keep(after: pinentry.pid)
        confine()
        isOnTerminal = PinentryName.needsTerminal(flavor: try pinentry.flavor())
        guard hasTerminal || !isOnTerminal else { throw .nowhere }
        if let terminal {
            try pinentry.set("OPTION", "ttyname=\(terminal.path)")
            try pinentry.set("OPTION", "ttytype=\(terminal.type)")
        }
        try pinentry.set("OPTION", "lc-ctype=\(Self.characters(of: environment))")
        self.pinentry = pinentry
        return pinentry
    }

    private func ask(
        _ dialog: Dialog, on pinentry: Pinentry, _ pipe: OwnedPipe
    ) throws(PinentryFailure) -> DialogReply {
        let asksForPasscode = dialog.kind == .passcode || dialog.kind == .consent && isOnTerminal
        if asksForPasscode || dialog.kind == .changedProgram && isOnTerminal, !dialog.hasPasscode { return .noPasscode }
        let text = DialogText(dialog, asksForPasscode: asksForPasscode)
        try pinentry.set("SETTIMEOUT", "\(dialog.seconds)")
        try pinentry.set("SETTITLE", DialogText.title)
        try pinentry.set("SETDESC", text.description)
        try pinentry.set("SETOK", text.yes)
        try pinentry.set("SETCANCEL", text.no)
        // From here on a person can see what the reader is to be touched for.
        if dialog.hasReader {
            do { try channel.send { DialogReply.shown.encodeFrame(to: &$0) } } catch { throw .withdrawn }
        }
        let milliseconds = (Int(dialog.seconds) + Self.grace) * 1000
        if dialog.kind == .touch {
            guard dialog.fallbackTitle == nil else {
                let answer = try pinentry.askForConfirmation(milliseconds: milliseconds)
                return answer == .ok ? .fallback : Self.reply(to: answer, whenRefused: .cancelled)
            }
            let answer = try pinentry.show(milliseconds: milliseconds)
            // The dialog has one button.
            return answer == .ok ? .cancelled : Self.reply(to: answer, whenRefused: .cancelled)
        }
        if dialog.kind == .consent, !asksForPasscode {
            let answer = try pinentry.askForConfirmation(milliseconds: milliseconds)
            return answer == .ok ? .allowed : Self.reply(to: answer, whenRefused: .denied)
        }
        if dialog.kind == .changedProgram { return try choose(on: pinentry, milliseconds) }
        if dialog.kind == .keychainAccess {
            return try Choice(text.answers, on: pinentry, isOnTerminal: isOnTerminal, milliseconds).ask()
        }
        let refusal: DialogReply = [.consent, .keychainSecret].contains(dialog.kind) ? .denied : .cancelled
        let field = Field(pinentry: pinentry, milliseconds: milliseconds, refusal: refusal)
        let typed =
            dialog.kind == .newPassword
            ? try twice(field, text) : try field.ask(text.prompt, problem: text.problem)
        switch typed {
        case .failure(let reply): return reply.reply
        case .success(let typed):
            // An empty entry is a refusal, since one flavour has no other key for that.
            guard typed.count > 0 else { return refusal }
            return pipe.pass(on: typed) ? .typed : .failed
        }
    }

    /// Asks about a changed program.
    ///
    /// A dialog that ends in any other way allows nothing.
    ///
    /// In a terminal the dialog has three buttons, and the passcode is asked for afterwards. On displays, some flavours
    /// of pinentry have only two buttons, or report a second button like a closed dialog. There a second dialog has the
    /// second answer.
    private func choose(on pinentry: Pinentry, _ milliseconds: Int) throws(PinentryFailure) -> DialogReply {
        if isOnTerminal {
            try pinentry.set("SETNOTOK", DialogText.everywhere)
            let answer = try pinentry.askForConfirmation(milliseconds: milliseconds)
            // The next dialog has two buttons.
            try pinentry.reset()
            switch answer {
            case .ok: return .once
            case .error(AssuanLine.Number.notConfirmed): return .everywhere
            default: return Self.reply(to: answer, whenRefused: .denied)
            }
        }
        try pinentry.set("SETCANCEL", DialogText.another)
        var answer = try pinentry.askForConfirmation(milliseconds: milliseconds)
        if answer == .ok { return .once }
        let reply = Self.reply(to: answer, whenRefused: .denied)
        guard reply == .denied else { return reply }
        try pinentry.set("SETOK", DialogText.everywhere)
        try pinentry.set("SETCANCEL", DialogText.refuse)
        answer = try pinentry.askForConfirmation(milliseconds: milliseconds)
        return answer == .ok ? .everywhere : Self.reply(to: answer, whenRefused: .denied)
    }

    /// Asks for a new password twice, and again while the two entries differ.
    private func twice(_ field: Field, _ text: DialogText) throws(PinentryFailure) -> Result<SecretBytes, Refusal> {
        var problem = text.problem
        for _ in 0..<Self.mostComparisons {
            let first: SecretBytes
            switch try field.ask(text.prompt, problem: problem) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let typed): first = typed
            }
            guard first.count > 0 else {
                problem = DialogText.empty
                continue
            }
            // The person decides: no password is refused as weak.
            let isWeak = PasswordStrength(estimating: first).isWeak
            switch try field.ask(DialogText.again, problem: isWeak ? DialogText.weak : "") {
            case .failure(let refusal): return .failure(refusal)
            // The comparison takes the same time wherever the entries differ.
            case .success(let second): if first == second { return .success(first) }
            }
            problem = DialogText.different
        }
        return .failure(Refusal(reply: .cancelled))
    }

    /// The reply of a field that was not filled in.
    private struct Refusal: Error { let reply: DialogReply }

    /// The field of a dialog whose texts are set.
    private struct Field {
        let pinentry: Pinentry
        let milliseconds: Int
        let refusal: DialogReply

        func ask(_ prompt: String, problem: String) throws(PinentryFailure) -> Result<SecretBytes, Refusal> {
            try pinentry.set("SETPROMPT", prompt)
            if !problem.isEmpty { try pinentry.set("SETERROR", problem) }
            var typed = SecretBuffer(capacity: AgentWire.maximumTypedBytes)
            let answer = try pinentry.askForText(
                &typed, limit: AgentWire.maximumTypedBytes, milliseconds: milliseconds)
            guard answer == .ok else {
                return .failure(Refusal(reply: DialogAgent.reply(to: answer, whenRefused: refusal)))
            }
            return .success(typed.finish())
        }
    }

    static func reply(to answer: Pinentry.Answer, whenRefused refusal: DialogReply) -> DialogReply {
        switch answer {
        case .ok: .failed
        case .error(AssuanLine.Number.timeout): .timedOut
        case .error(AssuanLine.Number.cancelled), .error(AssuanLine.Number.fullyCancelled),
            .error(AssuanLine.Number.notConfirmed):
            refusal
        case .error: .failed
        }
    }

    private static func characters(of environment: [String]) -> String {
        for name in ["LC_CTYPE=", "LANG="] {
            if let variable = environment.first(where: { $0.hasPrefix(name) }) {
                return String(variable.dropFirst(name.count))
            }
        }
        return "C.UTF-8"
    }
}
