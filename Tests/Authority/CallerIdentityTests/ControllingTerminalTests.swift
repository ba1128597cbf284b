import Glibc
import TestSupport
import Testing

@testable import CallerIdentity

/// The kernel says which controlling terminal a process has.
@Suite struct ControllingTerminalTests {
    private func number(_ stat: String) -> UInt32? { ControllingTerminal.number(inStatus: Array(stat.utf8)) }

    @Test func theSeventhField() {
        #expect(number("1234 (bash) S 1 1234 1234 34816 1234 0") == 34816)
        // The name of a program may contain anything.
        #expect(number("1234 (a) S 1 2 3 34817 (b)) S 1 2 3 34818 1") == 34818)
        for stat in ["", "1", "1 (a) S 1 2 3 0 4", "1 (a) S 1 2 3", "1 (a) S 1 2 3 x 4"] {
            #expect(number(stat) == nil)
        }
        #expect(number("1 (a) S 1 2 3 -2147483648 4") == 1 << 31)
    }

    @Test func devices() {
        #expect(ControllingTerminal.path(of: 136 << 8) == "/dev/pts/0")
        #expect(ControllingTerminal.path(of: 136 << 8 | 255) == "/dev/pts/255")
        #expect(ControllingTerminal.path(of: 136 << 8 | 44 | 1 << 20) == "/dev/pts/300")
        #expect(ControllingTerminal.path(of: 4 << 8 | 1) == "/dev/tty1")
        #expect(ControllingTerminal.path(of: 4 << 8 | 64) == "/dev/ttyS0")
        for other in [0, 4 << 8, 5 << 8, 1 << 8 | 3, 188 << 8] as [UInt32] {
            #expect(ControllingTerminal.path(of: other) == nil)
        }
    }

    @Test func ofARealProcess() throws {
        let terminal = try TestTerminal()
        let child = try ChildProcess(
            ["setsid", "--ctty", "--wait", "sleep", "100"], files: [(terminal.device, 0)], isQuiet: true)
        let setsid = child.pid
        // setsid(1) has the terminal once it has begun a session. It forks first if it leads its group.
        var found: String?
        for _ in 0..<6000 where found == nil {
            found = try path(of: setsid)
            usleep(10_000)
        }
        #expect(found == terminal.path)
        if geteuid() == 0 {
            try terminal.give(to: 24_901)
            #expect(try path(of: setsid) == nil)
        }
    }

    /// The status of a process also names its parent.
    @Test func theProgramOfItsParent() throws {
        let child = try ChildProcess(["sleep", "100"], isQuiet: true)
        let own = try ProcessHandle(adopting: -1, pid: child.pid, uid: geteuid(), gid: getegid()).parentProgram
        #expect(own == realPath("/proc/self/exe"))
        #expect(ProcStatus.number(4, in: Array("1234 (a) S 1 2 3 (b)) R 77 1234".utf8)) == 77)
        for line in ["", "1", "1 (a", "1 (a)", "1 (a) S", "1 (a) S x"] {
            #expect(ProcStatus.number(4, in: Array(line.utf8)) == nil)
        }
        let first = open("/proc/1", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(first) }
        #expect(ProcEntry.parent.open(in: first).error == ESRCH, "nobody has started the first one")
    }

    private func realPath(_ path: String) -> String? {
        guard let path = realpath(path, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    private func path(of pid: pid_t) throws -> String? {
        try ProcessHandle(adopting: -1, pid: pid, uid: geteuid(), gid: getegid()).terminal
    }
}
