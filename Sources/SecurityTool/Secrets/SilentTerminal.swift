import CChatelaine
import ChatelaineMemory
import Glibc

/// A terminal that does not echo, until it is restored.
///
/// Signals that would end or stop the process are held back meanwhile and looked at through a descriptor, so that no
/// way out leaves the terminal silent: it is put back first, and the signal acts then. Only SIGKILL and SIGSTOP cannot be
/// held. Signals of job control for a process in the background (SIGTTIN, SIGTTOU) act at once, before anything is changed.
final class SilentTerminal {
    enum Answer {
        case line(SecretBytes)
        /// A signal waits for the terminal to be restored; if the process lives on, ask again.
        case signalled
        case ended
    }

    /// What ends or stops a process that asks; SIGCONT, because a shell may have put the echo back meanwhile.
    private static let heldBack: [Int32] = [
        SIGINT, SIGHUP, SIGQUIT, SIGTERM, SIGTSTP, SIGALRM, SIGUSR1, SIGUSR2, SIGCONT,
    ]
    /// One line in canonical mode, with its end.
    private static let lineBytes = 4096

    private let terminal: Int32
    private let signals: Int32
    private var settings = termios()
    private var mask = sigset_t()
    private var heldBack: [Int32] = []
    private var isRestored = false

    /// Silences the terminal; throws ``ToolError``.
    init(_ terminal: Int32) throws {
        self.terminal = terminal
        guard tcgetattr(terminal, &settings) == 0 else {
            throw ToolError.failure("the terminal cannot be silenced: \(String(cString: strerror(errno)))")
        }
        // One that our parent blocked would wait for ever: it is its own matter.
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        var held = sigset_t()
        sigemptyset(&held)
        for signal in Self.heldBack where sigismember(&mask, signal) == 0 {
            sigaddset(&held, signal)
            heldBack.append(signal)
        }
        pthread_sigmask(SIG_BLOCK, &held, &mask)
        signals = chatelaine_signal_descriptor(&held)
        guard signals >= 0, silence() else {
            let code = errno
            restore()
            throw ToolError.failure("the terminal cannot be silenced: \(String(cString: strerror(code)))")
        }
    }

    deinit { restore() }

    private func silence() -> Bool {
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK)
        silent.c_lflag |= tcflag_t(ICANON | ISIG | ECHONL)
        while tcsetattr(terminal, TCSAFLUSH, &silent) != 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Puts the terminal back as it was, then lets signals through.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        while tcsetattr(terminal, TCSADRAIN, &settings) != 0, errno == EINTR {}
        if signals >= 0 { close(signals) }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Shows the prompt and reads a line; throws ``ToolError``.
    func readLine(prompt: String) throws -> Answer {
        let output = Output(descriptor: terminal, isTerminal: true)
        try output.write(prompt)
        while true {
            var waiting = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 else { continue }
            if waiting[0].revents != 0 {
                guard isOnlyContinued() else {
                    try output.write("\n")
                    return .signalled
                }
                guard silence() else { return .ended }
                try output.write(prompt)
            } else if waiting[1].revents != 0 {
                return try read()
            }
        }
    }

    /// Whether SIGCONT is all that waits; takes it then.
    private func isOnlyContinued() -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        let others = heldBack.filter { $0 != SIGCONT && sigismember(&pending, $0) == 1 }
        guard others.isEmpty else { return false }
        var taken = sigset_t()
        sigemptyset(&taken)
        sigaddset(&taken, SIGCONT)
        var now = timespec()
        _ = sigtimedwait(&taken, nil, &now)
        return true
    }

    /// The line that the terminal holds ready.
    private func read() throws -> Answer {
        var buffer = SecretBuffer(capacity: Self.lineBytes)
        let count = buffer.append(capacity: Self.lineBytes) { room in
            // SAFETY: the call writes at most `room.count` bytes to the buffer.
            Glibc.read(terminal, room.baseAddress, room.count)
        }
        guard count > 0 else { return .ended }
        return .line(
            buffer.withUnsafeBytes { bytes in
                let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
                return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
            })
    }
}
