import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A terminal that shows nothing of what is typed until it is restored; lines are edited here.
///
/// Signals that would end or stop the process are blocked meanwhile, and read from a descriptor. So the terminal is
/// always restored before a signal acts. Only SIGKILL, SIGSTOP and faults of the process cannot be blocked. Signals of
/// job control for a background process (SIGTTIN, SIGTTOU) act at once, before anything is changed.
///
/// Input from before the terminal was silent is dropped: it was visible, and a stray Enter would be a secret. Input
/// after a line is kept for the next line, as when both are pasted. The rest is dropped in the end, so that the rest of
/// a pasted secret does not become a command of the shell.
final class SilentTerminal {
    enum Answer {
        case line(SecretBytes)
        /// A signal waits until the terminal is restored; if the process survives it, ask again.
        case signalled
        case ended
    }

    /// Signals that are not blocked: those without a default effect, those for background processes, and faults of the
    /// process.
    ///
    /// glibc uses two more for itself (nptl(7)).
    private static let letThrough: Set<Int32> = [
        SIGKILL, SIGSTOP, SIGCHLD, SIGURG, SIGWINCH, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
        SIGABRT,
        SIGSYS, 32, 33,
    ]
    /// The last of the real-time signals (signal(7)).
    private static let lastSignal: Int32 = 64
    /// The bytes that a terminal buffers.
    private static let chunk = 4096

    private let terminal: Int32
    private let limit: Int
    private let signals: Int32
    private var settings = termios()
    private var mask = sigset_t()
    private var heldBack: [Int32] = []
    private var isRestored = false
    /// The bytes that were read; the first `taken` of them belong to finished lines.
    private var typed = SecretBuffer(capacity: SilentTerminal.chunk)
    private var taken = 0

    /// Silences the terminal; throws ``ToolError``.
    ///
    /// - Parameter limit: the most bytes of a line.
    init(_ terminal: Int32, limit: Int) throws {
        self.terminal = terminal
        self.limit = limit
        guard tcgetattr(terminal, &settings) == 0 else {
            throw ToolError.failure("the terminal cannot be silenced: \(Errno.last)")
        }
        // A signal that our parent blocked would never act, so it is left alone.
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        var held = sigset_t()
        sigemptyset(&held)
        for signal in 1...Self.lastSignal where !Self.letThrough.contains(signal) && sigismember(&mask, signal) == 0 {
            sigaddset(&held, signal)
            heldBack.append(signal)
        }
        pthread_sigmask(SIG_BLOCK, &held, &mask)
        signals = chatelaine_signal_descriptor(&held)
        guard signals >= 0, silence() else {
            let code = errno
            restore()
            throw ToolError.failure("the terminal cannot be silenced: \(Errno(code))")
        }
    }

    deinit { restore() }

    private func silence() -> Bool {
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ICANON | IEXTEN)
        silent.c_lflag |= tcflag_t(ISIG)
        // SAFETY: both numbers are below NCCS, the size of the array.
        withUnsafeMutableBytes(of: &silent.c_cc) { codes in
            // With 0, read(2) does not wait: the input that poll(2) reported may be gone, since Ctrl-C drops it.
            codes[Int(VMIN)] = 0
            codes[Int(VTIME)] = 0
        }
        while tcsetattr(terminal, TCSAFLUSH, &silent) != 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Restores the terminal, then unblocks the signals.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        while tcsetattr(terminal, TCSAFLUSH, &settings) != 0, errno == EINTR {}
        if signals >= 0 { close(signals) }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Shows the prompt and reads a line.
    ///
    /// Throws ``ToolError``, ``OutputError``, and `KeychainError` (`errSecDataTooLarge`).
    func readLine(prompt: String) throws -> Answer {
        let output = Output(descriptor: terminal, isTerminal: true)
        try output.write(prompt)
        var line = SecretLine(keys: EditingKeys(settings), limit: limit)
        while true {
            while taken < typed.count {
                let byte = typed.withUnsafeBytes { $0[taken] }
                taken += 1
                switch line.take(byte) {
                case .isGoingOn: continue
                case .isFinished:
                    try output.write("\n")
                    return .line(line.finish())
                case .isEnded:
                    try output.write("\n")
                    return .ended
                case .isFull:
                    try output.write("\n")
                    throw SecretReader.tooLarge
                }
            }
            switch wait() {
            case .input(let isHungUp): guard read(), !(isHungUp && typed.count == 0) else { return .ended }
            case .continued:
                // A shell may have turned the echo on meanwhile, and the person cannot see how much was typed.
                line = SecretLine(keys: EditingKeys(settings), limit: limit)
                guard silence() else { return .ended }
                try output.write(prompt)
            case .signal:
                try output.write("\n")
                return .signalled
            }
        }
    }

    private enum Event {
        case input(isHungUp: Bool)
        case signal
        case continued
    }

    private func wait() -> Event {
        while true {
            var waiting = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0 else { continue }
            if waiting[0].revents != 0 { return isOnlyContinued() ? .continued : .signal }
            let found = Int32(waiting[1].revents)
            if found != 0 { return .input(isHungUp: found & (POLLHUP | POLLERR | POLLNVAL) != 0) }
        }
    }

    /// Whether only SIGCONT is pending; consumes it then.
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

    /// Reads the available input, which may be empty; returns false if the terminal is gone.
    private func read() -> Bool {
        typed.reset()
        taken = 0
        let count = typed.append(capacity: Self.chunk) { room in
            // SAFETY: the call writes at most `room.count` bytes to the buffer.
            Glibc.read(terminal, room.baseAddress, room.count)
        }
        return count >= 0 || errno == EINTR || errno == EAGAIN
    }
}
