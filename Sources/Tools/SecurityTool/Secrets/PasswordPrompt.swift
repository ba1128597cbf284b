import ChatelaineMemory
import ChatelaineModel
import Glibc

/// Asks a person at the terminal for a secret, without showing what is typed.
///
/// A line may be as long as a secret (`Limits.secretBytes`); one that is longer is refused. A secret with an end of a line in
/// it comes from standard input, or each such end is typed after Ctrl-V.
struct PasswordPrompt {
    /// What a person reads.
    struct Words: Sendable, Equatable {
        var question = "Secret: "
        var again = "Again: "
        /// What can be used where there is no terminal.
        var instead = "--stdin or --secret-fd"
        /// What it is asked for, and what did not happen where it is typed in two ways.
        var thing = "the secret"
        var consequence = "nothing was stored"
    }

    let openTerminal: @Sendable () -> Int32
    let words: Words
    /// The most bytes that a line may have.
    let limit: Int

    init(
        words: Words = Words(), limit: Int = Limits.secretBytes, openTerminal: @escaping @Sendable () -> Int32
    ) {
        self.words = words
        self.limit = limit
        self.openTerminal = openTerminal
    }

    /// The line that was typed, without its end. Throws `KeychainError` (`errSecInteractionNotAllowed` where there is
    /// no terminal, `errSecDataTooLarge`) and ``ToolError``.
    ///
    /// - Parameter twice: to have it typed again, and compared.
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
            // Whatever was pressed acts only now, with the terminal as it was.
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

    /// Nil where a signal came between.
    private func line(_ prompt: String, _ silent: SilentTerminal) throws -> SecretBytes? {
        switch try silent.readLine(prompt: prompt) {
        case .line(let secret): return secret
        case .signalled: return nil
        case .ended: throw ToolError.failure("nothing was typed", exitStatus: ExitStatus.promptFailed)
        }
    }
}
