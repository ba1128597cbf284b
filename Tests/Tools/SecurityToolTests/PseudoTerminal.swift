import Foundation
import Glibc

/// A pseudo-terminal with the test at the master and a program at the other end.
final class PseudoTerminal {
    /// The wait for a program's output before a test gives up.
    private static let patienceMilliseconds: Int32 = 20_000

    /// `POSIX_SPAWN_SETSID`, `…_SETSIGMASK` and `…_SETSIGDEF` of glibc's spawn.h, since threads of a test runner block
    /// signals.
    private static let spawnFlags: Int16 = 0x80 | 0x08 | 0x04

    let master: Int32
    /// The other end, which stays open so that the master sees no hang-up.
    private let slave: Int32
    let name: String
    private(set) var seen: [UInt8] = []

    init?() {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        // The path has room for "/dev/pts/" and any number.
        var path = [CChar](repeating: 0, count: 64)
        guard openpty(&ends.master, &ends.slave, &path, nil, nil) == 0 else { return nil }
        for end in [ends.master, ends.slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        master = ends.master
        slave = ends.slave
        name = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(master)
        close(slave)
    }

    var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types the whole text; waits while the program reads more slowly.
    func type(_ text: String) { type(Array(text.utf8)) }

    func type(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// The number of typed bytes that no program has read.
    var unread: Int32 {
        var count: Int32 = 0
        // SAFETY: the call writes one Int32.
        return ioctl(slave, UInt(FIONREAD), &count) == 0 ? count : -1
    }

    /// Sets the width that a program finds.
    func setSize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // SAFETY: the call reads one winsize.
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    /// Reads until the program has written `text` after the position `start`; false if it ends or stays silent.
    func wait(for text: String, after start: Int = 0) -> Bool {
        let wanted = Array(text.utf8)
        while !Self.contains(seen.dropFirst(start), wanted) { guard readMore() else { return false } }
        return true
    }

    private func readMore() -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Self.patienceMilliseconds) == 1 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(master, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        seen += buffer.prefix(count)
        return true
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ wanted: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(wanted)) != nil
    }

    var text: String { String(decoding: seen, as: UTF8.self) }

    /// Starts a program in its own session with this terminal; returns its pid, or nil.
    func start(_ path: String, _ arguments: [String], environment: [String]) -> pid_t? {
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawnattr_init(&attributes)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        posix_spawnattr_setflags(&attributes, Self.spawnFlags)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // The first terminal that a session leader opens becomes its controlling terminal (credentials(7)).
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup($0) } + [nil]
        defer { for string in words + settings { free(string) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, path, &actions, &attributes, words, settings) == 0 ? pid : nil
    }
}
