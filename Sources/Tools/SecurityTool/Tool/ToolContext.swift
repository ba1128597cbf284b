import ChatelaineIPC
import Glibc

/// What a command sees of the world.
package struct ToolContext: Sendable {
    package var keychain: any KeychainService
    package var output: Output
    package var errors: Output
    package var standardInput: Int32
    /// Opens the terminal of the person; returns a descriptor, or -1.
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

    /// Whether a person can be asked at a terminal; otherwise a dialog may ask.
    var hasTerminal: Bool {
        let terminal = openTerminal()
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// Adds to what was done, on standard error.
    ///
    /// A failure to write is ignored: a script must not take for a failure what is done, and do it twice.
    func note(_ text: String) { try? errors.write(text) }

    /// Reports a problem on standard error; a failure to write is ignored, because the exit status tells it too.
    func complain(_ text: String, usage: String = "") {
        try? errors.write("security: \(Printable.text(text))\n" + usage)
    }
}
