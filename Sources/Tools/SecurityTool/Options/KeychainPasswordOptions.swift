import ArgumentParser
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The options for the source of a file keychain's password.
///
/// It is never on the command line, which every process can read.
struct KeychainPasswordOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: "Read the keychain\u{2019}s password from standard input, without the newline at its end.")
    var stdin = false
    @Option(name: .long, help: ArgumentHelp("The same from an open descriptor.", valueName: "n"))
    var descriptor: Int32?

    var isGiven: Bool { stdin || descriptor != nil }

    func validate() throws {
        guard !stdin || descriptor == nil else { throw ValidationError("--stdin and --descriptor exclude each other") }
        guard (descriptor ?? 0) >= 0 else { throw ValidationError("--descriptor wants the number of a descriptor") }
    }

    func password(of keychain: KeychainPath, in context: ToolContext) throws -> SecretBytes {
        if isGiven {
            return try SecretReader(progress: context.progress).read(
                descriptor ?? context.standardInput, isChomped: true)
        }
        let name = Printable.text(keychain.text)
        return try MacPasswords(context: context, unanswered: ExitStatus.failure).ask(
            "password of \(name): ", or: "--stdin or --descriptor")
    }
}
