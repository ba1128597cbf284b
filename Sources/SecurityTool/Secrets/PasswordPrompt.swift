import ChatelaineMemory
import ChatelaineModel
import Glibc

/// Asks a person at the terminal for a secret, without showing what is typed.
///
/// The terminal's line discipline edits the line and bounds it to 4095 bytes (termios(3)); a longer secret comes from
/// standard input.
struct PasswordPrompt {
    let openTerminal: @Sendable () -> Int32

    /// The line that was typed, without its end. Throws `KeychainError` (`errSecInteractionNotAllowed` where there is
    /// no terminal) and ``ToolError``.
    ///
    /// - Parameter twice: to have it typed again, and compared.
    func ask(twice: Bool) throws -> SecretBytes {
        let terminal = openTerminal()
        guard terminal >= 0 else {
            throw KeychainError(
                .interactionNotAllowed, "there is no terminal to ask for the secret; use --stdin or --secret-fd")
        }
        defer { close(terminal) }
        let secret = try ask("Secret: ", terminal)
        guard twice else { return secret }
        let again = try ask("Again: ", terminal)
        guard secret == again else { throw ToolError.failure("the two are not the same; nothing was stored") }
        return secret
    }

    private func ask(_ prompt: String, _ terminal: Int32) throws -> SecretBytes {
        while true {
            let silent = try SilentTerminal(terminal)
            let answer = try silent.readLine(prompt: prompt)
            // Whatever was pressed acts only now, with the terminal as it was.
            silent.restore()
            switch answer {
            case .line(let secret): return secret
            case .signalled: continue
            case .ended: throw ToolError.failure("nothing was typed", exitStatus: ExitStatus.promptFailed)
            }
        }
    }
}
