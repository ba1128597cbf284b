import ChatelaineModel

/// The `security` command, as a library: every verb, its options, its output.
///
/// **Way of a command.** ``run(_:in:)`` finds the ``Verb`` by name or prefix, has ArgumentParser read the options of that
/// one ``ToolCommand``, and runs it in a ``ToolContext``, which is all that it sees of the world: the Keychain behind
/// ``KeychainService``, and descriptors. Only the one command is handed to ArgumentParser, because building the whole
/// tree by reflection costs more than a look-up.
///
/// **Rules.** What a query means is decided by `QueryParser`, as for a program: options become the pairs of a dictionary
/// (``AttributeWord``), nothing else. Guards that only a person needs live here: a change names what it changes.
///
/// **Secrets** come from a ``SecretReader`` or a ``PasswordPrompt``, never from arguments, and go out as bytes. No
/// `String` ever holds one, and all output is built in memory that wipes itself. The exception are the verbs of macOS's
/// command (``MacVerb``), whose scripts give passwords behind options (``MacPasswords``).
///
/// **Contract.** Output, `--json` and exit status are for scripts too: status 0, 2 after a usage error, 1 for an unknown
/// verb and what happens on this side, otherwise the low byte of the `OSStatus` (``ExitStatus``). Snapshots in the tests
/// hold them.
package enum SecurityTool {
    /// The version of this tool and of the library it belongs to.
    package static let version = ChatelaineVersion.number

    /// Runs one command line, without the name of the program, and returns the exit status.
    package static func run(_ arguments: some Sequence<String>, in context: ToolContext) -> Int32 {
        do {
            return try CommandLineRunner(context: context).run(Array(arguments))
        } catch let error as OutputError {
            // Nobody reads any more, or the disk is full; standard error may still work.
            context.complain(error.description)
            return ExitStatus.failure
        } catch {
            context.complain("\(error)")
            return ExitStatus.failure
        }
    }
}
