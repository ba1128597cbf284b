import ArgumentParser
import ChatelaineMemory
import ChatelaineModel

/// The options for the source of a secret.
///
/// It is never on the command line, which every process can read.
struct SecretSourceOptions: ParsableArguments {
    @Flag(
        name: .long, help: "Read the secret from standard input: every byte of it, the newline at its end included.")
    var stdin = false
    @Option(name: .long, help: ArgumentHelp("Read the secret from an open descriptor.", valueName: "n"))
    var secretFd: Int32?
    @Flag(name: .long, help: "Leave out one newline at the end of what is read.")
    var chomp = false

    var isGiven: Bool { stdin || secretFd != nil }

    func validate() throws {
        guard !stdin || secretFd == nil else { throw ValidationError("--stdin and --secret-fd exclude each other") }
        guard !chomp || isGiven else { throw ValidationError("--chomp goes with --stdin or --secret-fd") }
        guard (secretFd ?? 0) >= 0 else { throw ValidationError("--secret-fd wants the number of a descriptor") }
    }

    /// The secret from the given descriptor; throws ``ToolError`` and `KeychainError`.
    func read(in context: ToolContext) throws -> SecretBytes {
        let descriptor = secretFd ?? context.standardInput
        return try SecretReader(progress: context.progress).read(descriptor, isChomped: chomp)
    }

    /// The secret, typed by a person.
    func ask(in context: ToolContext, twice: Bool) throws -> SecretBytes {
        try PasswordPrompt(openTerminal: context.openTerminal).ask(twice: twice)
    }
}
