import ChatelaineMemory
import ChatelaineModel
import Glibc

/// Asks a person at the terminal for a secret, without showing what is typed.
///
/// A line may have as many bytes as a secret (`Limits.secretBytes`); a longer one is refused. A secret with line ends
/// comes from standard input, or each line end is typed after Ctrl-V.
struct PasswordPrompt {
    /// The texts that a person reads.
    struct Words: Sendable, Equatable {
        var question = "Secret: "
        var again = "Again: "
        /// The alternative if there is no terminal.
        var instead = "--stdin or --secret-fd"
        /// What is asked for, and the consequence if it is typed in two different ways.
        var thing = "the secret"
        var consequence = "nothing was stored"
    }

    let openTerminal: @Sendable () -> Int32
    let words: Words
    /// The most bytes of a line.
    let limit: Int

    init(
        words: Words = Words(), limit: Int = Limits.secretBytes, openTerminal: @escaping @Sendable () -> Int32
    ) {
        self.words = words
        self.limit = limit
        self.openTerminal = openTerminal
    }

    /// The typed line without its end.
    ///
    /// Throws `KeychainError` (`errSecInteractionNotAllowed` if there is no terminal, `errSecDataTooLarge`) and
    /// ``ToolError``.
    ///
    /// - Parameter twice: whether it has to be typed again, and compared.
    func ask(twice: Bool) throws -> SecretBytes {
        let terminal = openTerminal()
        guard terminal >= 0 else {
            throw KeychainError(
                .interactionNotAllowed, "there is no terminal to ask for \(words.thing); use \(words.instead)")
        }
        defer { close(terminal) }
        var secret: SecretBytes?
        while true {
            let silent = try SilentTerminal(terminal, limit: limit)
            // Signals of the keys act after this, when the terminal is as it was.
            defer { silent.restore() }
            if secret == nil { secret = try line(words.question, silent) }
            guard let secret else { continue }
            guard twice else { return secret }
            guard let again = try line(words.again, silent) else { continue }
            guard secret == again else {
                throw ToolError.failure(
                    "the two are not the same; \(words.consequence)", exitStatus: ExitStatus.promptFailed)
            }
            return secret
        }
    }

    /// The line; nil if a signal interrupted it.
    private func line(_ prompt: String, _ silent: SilentTerminal) throws -> SecretBytes? {
        switch try silent.readLine(prompt: prompt) {
        case .line(let secret): return secret
        case .signalled: return nil
        case .ended: throw ToolError.failure("nothing was typed", exitStatus: ExitStatus.promptFailed)
        }
    }
}
