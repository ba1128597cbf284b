import CChatelaine
import ChatelaineSystem
import Glibc

/// The terminal of the calling program.
///
/// It belongs to the user, and is restored afterwards, whichever process is killed.
final class Terminal {
    let path: String
    private let device: Descriptor
    private let former: termios
    /// A process that restores the terminal where this one cannot, and its channel; -1 where there is none.
    private var keeper: (pid: pid_t, channel: Int32) = (-1, -1)

    /// Opens a terminal; nil for anything but a terminal of this user.
    init?(_ path: String) {
        // It must not become a controlling terminal, and the open must not wait for a missing line.
        let number = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard number >= 0 else { return nil }
        let device = Descriptor(number)
        var status = stat()
        var state = termios()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, status.st_uid == geteuid(),
            tcgetattr(number, &state) == 0
        else { return nil }
        self.path = path
        self.device = device
        former = state
    }

    /// The terminal type that pinentry is told.
    ///
    /// Only the calling program knows the real type, and its word does not count. Every terminal of the kind
    /// understands this one.
    var type: String { path.hasPrefix("/dev/pts/") ? "xterm" : path.hasPrefix("/dev/ttyS") ? "vt100" : "linux" }

    /// Has another process restore the terminal if this one is killed, once the pinentry has ended.
    ///
    /// Call it while there is one thread and no secret.
    func keep(after pinentry: pid_t) {
        guard keeper.pid < 0 else { return }
        var state = former
        var channel: Int32 = -1
        // SAFETY: the call reads one termios and writes one descriptor.
        let pid = chatelaine_keep_terminal(device.number, &state, pinentry, &channel)
        // Without that process only this protection is missing.
        if pid > 0 { keeper = (pid, channel) }
    }

    /// Restores the terminal, since a pinentry that was ended leaves it without echo.
    func restore() {
        var state = former
        _ = tcsetattr(device.number, TCSANOW, &state)
        guard keeper.pid > 0 else { return }
        _ = write(keeper.channel, [1], 1)
        close(keeper.channel)
        while waitpid(keeper.pid, nil, 0) < 0, errno == EINTR {}
        keeper = (-1, -1)
    }
}
