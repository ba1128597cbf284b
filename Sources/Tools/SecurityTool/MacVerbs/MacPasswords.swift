import ChatelaineMemory
import ChatelaineModel
import PasswordQuality

/// Passwords for verbs of macOS's: behind an option, as scripts give them, or typed where nobody sees them.
///
/// What is behind an option can be read by every process while the command runs, here as on macOS. It is a password of the caller's making,
/// and goes on in secret memory.
struct MacPasswords {
    /// How often a new one is asked for until it is typed twice alike, as on macOS.
    static let tries = 3

    let context: ToolContext
    /// What the verb ends with where nothing is typed, or there is no terminal to type at.
    var unanswered = ExitStatus.promptFailed

    /// The value of an option; nil where it was not given.
    static func given(_ text: String?) -> SecretBytes? { text.map { SecretBytes($0.utf8) } }

    func ask(_ question: String) throws -> SecretBytes {
        var words = PasswordPrompt.Words()
        words.question = question
        words.instead = "an option"
        words.thing = "the password"
        let prompt = PasswordPrompt(
            words: words, limit: Limits.keychainPasswordBytes, openTerminal: context.openTerminal)
        do { return try prompt.ask(twice: false) } catch let error as KeychainError {
            throw ToolError.failure(error.reason, exitStatus: unanswered)
        } catch ToolError.failure(let text, _) {
            throw ToolError.failure(text, exitStatus: unanswered)
        }
    }

    /// A new one, typed twice; ends with 1 where it never is.
    ///
    /// - Parameter opensKeychain: whether whoever has a copy of a file may guess it; one that is weak is taken, and that is told.
    func askTwice(
        _ question: String, again: String, tries: Int = Self.tries, opensKeychain: Bool = false
    ) throws -> SecretBytes {
        for _ in 0..<tries {
            let password = try ask(question)
            if try ask(again) == password {
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
            "warning: this password is \(strength.step.text), about \(strength.bits) bits; below \(PasswordStrength.sensibleBits) whoever has a copy of the keychain finds it by guessing. six or more words at random are not"
        )
    }
}
