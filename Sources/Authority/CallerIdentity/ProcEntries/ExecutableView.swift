import CChatelaine
import ChatelaineSystem
import Glibc
import Synchronization

/// One look at a process: the executable, and the process's memory before and after the look at the executable.
///
/// The kernel keeps the executable with the memory, and execve(2) replaces both at once. Suppose that at most one
/// exchange lies between the first and the last of the three calls. Then the executable belongs to the first memory or
/// to the last. So the process runs it as long as both memories exist. The duration of the look excludes a second
/// exchange: it is shorter than the machine needs for one.
struct ExecutableView: ~Copyable, Sendable {
    /// An `O_PATH` descriptor.
    let executable: Descriptor
    /// A descriptor of `/proc/PID/pagemap`; both numbers are -1 if the kernel shows no memory.
    let before: Descriptor
    let after: Descriptor

    init(executable: consuming Descriptor, before: consuming Descriptor, after: consuming Descriptor) {
        self.executable = executable
        self.before = before
        self.after = after
    }

    /// Takes over the descriptors that a reader of /proc opened.
    init(_ opened: OpenedEntry) throws(Errno) {
        let found = opened.descriptors
        // The kernel, not the number of descriptors that came, decides whether memory is expected. A reader that sends
        // fewer must not weaken the check.
        guard opened.error == 0, found.count == (OpenedEntry.showsMemory ? 3 : 1) else {
            for number in found { close(number) }
            throw Errno(opened.error == 0 ? EIO : opened.error)
        }
        executable = Descriptor(found[0])
        before = Descriptor(found.count == 3 ? found[1] : -1)
        after = Descriptor(found.count == 3 ? found[2] : -1)
    }
}

extension OpenedEntry {
    /// Opens the executable, the memory before and the memory after; the executable alone on a kernel that shows no
    /// memory.
    ///
    /// The error is EAGAIN if each of many tries was interrupted, for as long as ``ProcReadRetry`` says.
    static func ofProgram(in folder: Int32) -> OpenedEntry {
        // A property of the kernel, checked on the daemon's own process, so that no process can avoid the check.
        guard showsMemory else { return OpenedEntry(opened: chatelaine_open_path(folder, "exe", 1)) }
        let opened = ProcReadRetry.system.first {
            let (opened, time) = program(in: folder)
            guard opened.error == 0, time > longestLook() else { return opened }
            for number in opened.descriptors { close(number) }
            return nil
        }
        return opened ?? OpenedEntry(error: EAGAIN)
    }

    /// The factor by which a look may be longer than the shortest one.
    ///
    /// The shortest execve(2), of a program of 50 instructions, takes 30 times as long as a look on any machine. About
    /// a quarter of that leaves room for a processor that changes its pace.
    private static let slack: UInt64 = 8
    private static let practiceLooks = 64
    /// In nanoseconds, used if no practice look succeeded; no machine of today is faster.
    private static let assumedLook: UInt64 = 1000

    /// Whether there is a `/proc/PID/pagemap`, as in every known kernel (`CONFIG_PROC_PAGE_MONITOR`).
    ///
    /// It does not test whether the daemon may read its own, because the daemon is not dumpable.
    static let showsMemory: Bool = {
        var status = stat()
        return stat("/proc/self/pagemap", &status) == 0
    }()

    /// The duration of the shortest look so far, in nanoseconds.
    ///
    /// It starts with that of three openings in the daemon's own folder, which cost as much and which no other process
    /// can slow down.
    private static let shortestLook = Atomic<UInt64>(practice())

    private static func longestLook() -> UInt64 { shortestLook.load(ordering: .relaxed) &* slack }

    private static func practice() -> UInt64 {
        var shortest: UInt64 = 0
        for _ in 0..<practiceLooks {
            let start = now()
            let opened = (0..<3).map { _ in openat(AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC) }
            let time = now() &- start
            for number in opened where number >= 0 { close(number) }
            if !opened.contains(where: { $0 < 0 }), shortest == 0 || time < shortest { shortest = time }
        }
        return shortest == 0 ? assumedLook : shortest
    }

    private static func program(in folder: Int32) -> (opened: OpenedEntry, time: UInt64) {
        let start = now()
        let before = openat(folder, "pagemap", O_RDONLY | O_CLOEXEC)
        let executable = before < 0 ? -1 : chatelaine_open_path(folder, "exe", 1)
        let after = executable < 0 ? -1 : openat(folder, "pagemap", O_RDONLY | O_CLOEXEC)
        let error = after < 0 ? errno : 0
        let time = now() &- start
        guard after >= 0 else {
            for number in [before, executable] where number >= 0 { close(number) }
            return (OpenedEntry(error: error), time)
        }
        if time > 0 { shortestLook.min(time, ordering: .relaxed) }
        return (OpenedEntry(descriptors: [executable, before, after]), time)
    }

    private static func now() -> UInt64 { ProcReadRetry.system.now() }
}
