import Glibc

/// A terminal for a test, which reads the output of programs and types as a person.
package final class TestTerminal {
    /// The time limit in milliseconds, longer than any output takes on a busy machine.
    private static let patience: Int32 = 60_000

    /// TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// The side of the terminal that programs open.
    package let device: Int32
    package let path: String
    private let master: Int32
    private var bytes: [UInt8] = []
    /// The number of bytes that ``expect(_:)`` has passed.
    private var seen = 0

    package init(rows: UInt16 = 24, columns: UInt16 = 80) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.lock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
            throw SystemError("making a pseudo-terminal")
        }
        path = "/dev/pts/\(number)"
        device = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard device >= 0 else { throw SystemError("opening \(path)") }
        self.master = master
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(device, UInt(TIOCSWINSZ), &size)
    }

    deinit {
        close(device)
        close(master)
    }

    /// Gives the terminal to another user.
    package func give(to user: uid_t) throws {
        guard fchown(device, user, user) == 0 else { throw SystemError("giving \(path) away") }
    }

    package func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(master, bytes, bytes.count) == bytes.count else { throw SystemError("typing") }
    }

    /// The whole output so far.
    package var shown: String { String(decoding: bytes, as: UTF8.self) }

    /// Waits until the output since the last call has a text.
    package func expect(_ text: String) throws {
        let text = Array(text.utf8)
        while true {
            if let start = (seen...max(seen, bytes.count - text.count)).first(where: { bytes[$0...].starts(with: text) }
            ) {
                seen = start + text.count
                return
            }
            guard read(milliseconds: Self.patience) else {
                throw SystemError("“\(String(decoding: text, as: UTF8.self))” is not shown, but “\(shown)”")
            }
        }
    }

    /// Reads the output until there is none for `milliseconds`.
    package func settle(milliseconds: Int32 = 200) -> String {
        while read(milliseconds: milliseconds) {}
        defer { seen = bytes.count }
        return String(decoding: bytes[seen...], as: UTF8.self)
    }

    /// Whether the terminal echoes input.
    package var echoes: Bool {
        var state = termios()
        return tcgetattr(device, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
            && state.c_lflag & tcflag_t(ICANON) != 0
    }

    private func read(milliseconds: Int32) -> Bool {
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return false }
        var piece = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the call writes at most as many bytes as there are.
        let count = Glibc.read(master, &piece, piece.count)
        guard count > 0 else { return false }
        bytes += piece.prefix(count)
        return true
    }
}
