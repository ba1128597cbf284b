import ChatelaineIPC
import Glibc

/// Everything that a command sees of the world.
package struct ToolContext: Sendable {
    package var keychain: any KeychainService
    package var output: Output
    package var errors: Output
    package var standardInput: Int32
    /// Opens the terminal that a person sits at; a descriptor, or -1.
    package var openTerminal: @Sendable () -> Int32
    package var environment: ProcessEnvironment

    package init(
        keychain: any KeychainService, output: Output, errors: Output, standardInput: Int32,
        openTerminal: @escaping @Sendable () -> Int32, environment: ProcessEnvironment = .current
    ) {
        self.keychain = keychain
        self.output = output
        self.errors = errors
        self.standardInput = standardInput
        self.openTerminal = openTerminal
        self.environment = environment
    }

    /// The context of this process.
    package static func process() -> ToolContext {
        ToolContext(
            keychain: KeychainClient.shared, output: Output(descriptor: STDOUT_FILENO),
            errors: Output(descriptor: STDERR_FILENO), standardInput: STDIN_FILENO,
            openTerminal: { open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) })
    }

    var progress: Progress { Progress(errors) }

    /// Whether somebody can be asked here; where not, a dialog may.
    var hasTerminal: Bool {
        let terminal = openTerminal()
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// Says on standard error what is wrong; where nobody hears it, the exit status still tells.
    func complain(_ text: String, usage: String = "") {
        try? errors.write("security: \(Printable.text(text))\n" + usage)
    }
}
