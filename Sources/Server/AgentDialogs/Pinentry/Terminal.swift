import CChatelaine
import ChatelaineSystem
import Glibc

/// The terminal of the program that asks: it is the user's own, and is afterwards as it was before, whoever is killed.
final class Terminal {
    let path: String
    private let device: Descriptor
    private let former: termios
    /// A process that puts it back where this one does not, and its channel; -1 where there is none.
    private var keeper: (pid: pid_t, channel: Int32) = (-1, -1)

    /// nil for anything but a terminal that belongs to this user.
    init?(_ path: String) {
        // It becomes nobody's controlling terminal, and a line that is not there is not waited for.
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

    /// What programs are told that it is. What it really is knows the program that asks alone, whose word is not asked for: this
    /// much every terminal of that kind understands.
    var type: String { path.hasPrefix("/dev/pts/") ? "xterm" : path.hasPrefix("/dev/ttyS") ? "vt100" : "linux" }

    /// Has it put back by another process if this one is killed, once the pinentry has ended. Call it while there is one thread and
    /// nothing secret.
    func keep(after pinentry: pid_t) {
        guard keeper.pid < 0 else { return }
        var state = former
        var channel: Int32 = -1
        // SAFETY: the call reads one termios and writes one descriptor.
        let pid = chatelaine_keep_terminal(device.number, &state, pinentry, &channel)
        // Without one everything goes on but for that.
        if pid > 0 { keeper = (pid, channel) }
    }

    /// As it was before: a pinentry that was ended leaves it without echo.
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
