import CChatelaine
import ChatelaineSystem
import Glibc
import Synchronization

/// One look at a process: what it runs, and the memory that it had before and after we looked at that.
///
/// The kernel keeps the executable with the memory, and execve(2) exchanges both at once. So if at most one exchange lies
/// between the first and the last of the three calls, the executable belongs to the first memory or to the last, and is
/// what the process runs as long as both are alive. That there were not two is certain by the time it took: less than
/// the machine needs for one.
struct ExecutableView: ~Copyable, Sendable {
    /// An `O_PATH` descriptor.
    let executable: Descriptor
    /// `/proc/PID/pagemap`; the numbers are -1 where the kernel shows none.
    let before: Descriptor
    let after: Descriptor

    init(executable: consuming Descriptor, before: consuming Descriptor, after: consuming Descriptor) {
        self.executable = executable
        self.before = before
        self.after = after
    }

    /// Takes over what a reader of /proc saw.
    init(_ opened: OpenedEntry) throws(Errno) {
        let found = opened.descriptors
        // Whether the memory is missing is not left to what came: less than was sent must not make us look less closely.
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
    /// Executable, memory before, memory after; the executable alone on a kernel that shows no memory.
    ///
    /// EAGAIN where each of many tries was interrupted, for as long as ``ProcReadRetry`` says.
    static func ofProgram(in folder: Int32) -> OpenedEntry {
        // A property of the kernel, asked of ourselves: a process must not be able to do without.
        guard showsMemory else { return OpenedEntry(opened: chatelaine_open_path(folder, "exe", 1)) }
        let opened = ProcReadRetry.system.first {
            let (opened, time) = program(in: folder)
            guard opened.error == 0, time > longestLook() else { return opened }
            for number in opened.descriptors { close(number) }
            return nil
        }
        return opened ?? OpenedEntry(error: EAGAIN)
    }

    /// The shortest execve(2), of a program of 50 instructions, takes 30 times as long as a look, whatever the machine; a
    /// quarter of it leaves room for a processor that changes its pace.
    private static let slack: UInt64 = 8
    private static let practiceLooks = 64
    /// Where no practice succeeded; no machine of today is faster.
    private static let assumedLook: UInt64 = 1000

    /// Whether there is a `/proc/PID/pagemap`, as in every kernel that we know of (`CONFIG_PROC_PAGE_MONITOR`).
    ///
    /// Not whether we may read our own: we are not dumpable.
    static let showsMemory: Bool = {
        var status = stat()
        return stat("/proc/self/pagemap", &status) == 0
    }()

    /// The shortest look so far, in nanoseconds; at first, that of three openings in our own folder, which cost as much
    /// and are nobody's to slow down.
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
