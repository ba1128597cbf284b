import ChatelaineModel

/// The `security` command, as a library: every verb, its options, its output.
///
/// **Flow.** ``run(_:in:)`` finds the ``Verb`` by name or prefix, and ArgumentParser reads the options of its
/// ``ToolCommand``. The command runs in a ``ToolContext``, which is all that it sees of the world: the Keychain behind
/// ``KeychainService``, and descriptors. ArgumentParser gets only this command, because building the whole tree by
/// reflection costs more than a look-up.
///
/// **Rules.** `QueryParser` decides what a query means, as for a program: options only become the pairs of a dictionary
/// (``AttributeWord``). Guards that only a person needs are here: a change names what it changes.
///
/// **Secrets** come from a ``SecretReader`` or a ``PasswordPrompt``, never from arguments, and are written as bytes. No
/// `String` ever holds one, and all output is built in memory that wipes itself. The exception are the verbs of macOS's
/// command (``MacVerb``), whose scripts give passwords in options (``MacPasswords``).
///
/// **Contract.** Output, `--json` and exit status are for scripts too. The status is 0 for success, 2 for a usage
/// error, and 1 for an unknown verb or a failure on this side. Otherwise it is the low byte of the `OSStatus`
/// (``ExitStatus``). Snapshots in the tests verify this.
package enum SecurityTool {
    /// The version of this tool and of the library it belongs to.
    package static let version = ChatelaineVersion.number

    /// Runs one command line, without the name of the program, and returns the exit status.
    package static func run(_ arguments: some Sequence<String>, in context: ToolContext) -> Int32 {
        do {
            return try CommandLineRunner(context: context).run(Array(arguments))
        } catch let error as OutputError {
            // The reader is gone or the disk is full; standard error may still work.
            context.complain(error.description)
            return ExitStatus.failure
        } catch {
            context.complain("\(error)")
            return ExitStatus.failure
        }
    }
}
