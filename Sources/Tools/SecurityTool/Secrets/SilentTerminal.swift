import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// A terminal that shows nothing of what is typed, and has us edit the line, until it is restored.
///
/// Signals that would end or stop the process are held back meanwhile and looked at through a descriptor, so that no
/// way out leaves the terminal silent: it is put back first, and the signal acts then. Only SIGKILL, SIGSTOP and faults of our
/// own cannot be held. Signals of job control for a process in the background (SIGTTIN, SIGTTOU) act at once, before
/// anything is changed.
///
/// What was typed before the terminal was silent is dropped: it was shown, and a stray Enter would be a secret. What comes
/// after one line is kept for the next, as when both are pasted. What is left in the end is dropped again, so that the rest of
/// a pasted secret does not become a command of the shell.
final class SilentTerminal {
    enum Answer {
        case line(SecretBytes)
        /// A signal waits for the terminal to be restored; if the process lives on, ask again.
        case signalled
        case ended
    }

    /// Those that do nothing to a process unless it asks, are for a process in the background, or are its own faults; glibc
    /// has two for itself (nptl(7)).
    private static let letThrough: Set<Int32> = [
        SIGKILL, SIGSTOP, SIGCHLD, SIGURG, SIGWINCH, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
        SIGABRT,
        SIGSYS, 32, 33,
    ]
    /// Real-time signals included (signal(7)).
    private static let lastSignal: Int32 = 64
    /// As much as a terminal holds ready.
    private static let chunk = 4096

    private let terminal: Int32
    private let limit: Int
    private let signals: Int32
    private var settings = termios()
    private var mask = sigset_t()
    private var heldBack: [Int32] = []
    private var isRestored = false
    /// Bytes that were read, of which `taken` belong to lines that are done.
    private var typed = SecretBuffer(capacity: SilentTerminal.chunk)
    private var taken = 0

    /// Silences the terminal; throws ``ToolError``.
    ///
    /// - Parameter limit: the most bytes that a line may have.
    init(_ terminal: Int32, limit: Int) throws {
        self.terminal = terminal
        self.limit = limit
        guard tcgetattr(terminal, &settings) == 0 else {
            throw ToolError.failure("the terminal cannot be silenced: \(String(cString: strerror(errno)))")
        }
        // One that our parent blocked would wait for ever: it is its own matter.
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
            throw ToolError.failure("the terminal cannot be silenced: \(String(cString: strerror(code)))")
        }
    }

    deinit { restore() }

    private func silence() -> Bool {
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ICANON | IEXTEN)
        silent.c_lflag |= tcflag_t(ISIG)
        // SAFETY: both numbers are below NCCS, the size of the array.
        withUnsafeMutableBytes(of: &silent.c_cc) { codes in
            // 0, so that reading does not wait: what poll(2) saw may be gone, since Ctrl-C drops it.
            codes[Int(VMIN)] = 0
            codes[Int(VTIME)] = 0
        }
        while tcsetattr(terminal, TCSAFLUSH, &silent) != 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Puts the terminal back as it was, then lets signals through.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        while tcsetattr(terminal, TCSAFLUSH, &settings) != 0, errno == EINTR {}
        if signals >= 0 { close(signals) }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Shows the prompt and reads a line; throws ``ToolError``, ``OutputError``, and `KeychainError` (`errSecDataTooLarge`).
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
                // A shell may have put the echo back meanwhile, and who typed does not see how far.
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

    /// Reads what the terminal holds ready, which may be nothing; false where there is no terminal any more.
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
