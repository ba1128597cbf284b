import ChatelaineSystem
import SystemCalls

/// Every system call that this module makes on files and processes; faked as ``FileCalls`` are.
struct IdentityCalls: Sendable {
    var files: FileCalls
    var processes: ProcessCalls
    /// What the process whose `/proc` folder is `folder` runs; EAGAIN where it could not be seen in one go.
    var view: @Sendable (_ folder: Int32) throws(Errno) -> ExecutableView
    /// The controlling terminal of the process whose `/proc` folder is `folder`, to look at; ENOTTY where it has none.
    var terminal: @Sendable (_ folder: Int32) throws(Errno) -> Descriptor
    /// The executable of the parent of that process, to look at; ESRCH where it has none that can be seen.
    var parent: @Sendable (_ folder: Int32) throws(Errno) -> Descriptor
    /// Whether that process started with others' code (``StartEnvironment``); waits for it.
    var preloading: @Sendable (_ folder: Int32) -> Preloading
    /// Whether the file system of a mount is a program of a user; true also for a mount that is none of this process's.
    var isProvided: @Sendable (_ mount: UInt64) throws(Errno) -> Bool
    /// Whether the memory is there whose table `/proc/PID/pagemap` is.
    var hasMemory: @Sendable (_ table: Int32) -> Bool
    /// Nanoseconds since 1970, by the clock that stamps files.
    var now: @Sendable () -> Int64

    /// Who keeps what a descriptor shows. Where that is a program of a user, the program is not asked.
    func kind(of descriptor: Int32) throws(Errno) -> FileSystemKind {
        let mount = try ProcessFacts.mount(of: descriptor, system: self)
        guard try !isProvided(mount) else { return .provided }
        return FileSystemKind(magic: try files.fileSystem(of: descriptor))
    }
}
