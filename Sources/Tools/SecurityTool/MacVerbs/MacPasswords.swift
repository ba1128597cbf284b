import ChatelaineMemory
import ChatelaineModel
import PasswordQuality

/// Passwords for verbs of macOS: from an option, as scripts give them, or typed without being shown.
///
/// Every process can read a value in an option while the command runs, here as on macOS. It is the caller's choice; the
/// value is then kept in secret memory.
struct MacPasswords {
    /// How many times a new password may be typed until both entries match, as on macOS.
    static let tries = 3

    let context: ToolContext
    /// The exit status if nothing is typed, or there is no terminal.
    var unanswered = ExitStatus.promptFailed

    /// The value of an option; nil if it was not given.
    static func given(_ text: String?) -> SecretBytes? { text.map { SecretBytes($0.utf8) } }

    /// Asks at the terminal.
    ///
    /// - Parameter option: the option that gives the password where there is no terminal.
    func ask(_ question: String, or option: String) throws -> SecretBytes {
        var words = PasswordPrompt.Words()
        words.question = question
        words.instead = option
        words.thing = "the password"
        let prompt = PasswordPrompt(
            words: words, limit: Limits.keychainPasswordBytes, openTerminal: context.openTerminal)
        do { return try prompt.ask(twice: false) } catch let error as KeychainError {
            throw ToolError.failure(error.reason, exitStatus: unanswered)
        } catch ToolError.failure(let text, _) {
            throw ToolError.failure(text, exitStatus: unanswered)
        }
    }

    /// A new password, typed twice; the exit status is 1 if the entries never match.
    ///
    /// - Parameter opensKeychain: whether it protects a file that could be copied; a weak password is accepted with a
    ///   warning.
    func askTwice(
        _ question: String, again: String, or option: String, tries: Int = Self.tries, opensKeychain: Bool = false
    ) throws -> SecretBytes {
        for _ in 0..<tries {
            let password = try ask(question, or: option)
            if try ask(again, or: option) == password {
                if opensKeychain { warn(about: password) }
                return password
            }
            context.complain("passwords don't match")
        }
        throw ToolError.failure("the two passwords are not the same; nothing was changed")
    }

    private func warn(about password: SecretBytes) {
        let strength = PasswordStrength(estimating: password)
        guard strength.isWeak else { return }
        context.complain(
            "warning: this password is \(strength.step.text), about \(strength.bits) bits; below \(PasswordStrength.sensibleBits) it is found by guessing, by whoever has a copy of the keychain; six or more words at random are not"
        )
    }
}
