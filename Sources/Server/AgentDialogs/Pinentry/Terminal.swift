import ChatelaineSystem
import Glibc

/// The terminal of the program that asks: it is the user's own, and is afterwards as it was before.
final class Terminal {
    let path: String
    private let device: Descriptor
    private let former: termios

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

    /// As it was before: a pinentry that was ended leaves it without echo.
    func restore() {
        var state = former
        _ = tcsetattr(device.number, TCSANOW, &state)
    }
}
