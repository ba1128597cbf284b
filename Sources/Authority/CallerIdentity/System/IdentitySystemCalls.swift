import ChatelaineSystem
import SystemCalls

/// Every system call that this module makes on files and processes; tests replace them as they do ``FileCalls``.
struct IdentitySystemCalls: Sendable {
    var files: FileCalls
    var processes: ProcessCalls
    /// The executable of the process whose `/proc` folder is `folder`; EAGAIN if it could not be seen in one go.
    var view: @Sendable (_ folder: Int32) throws(Errno) -> ExecutableView
    /// An `O_PATH` descriptor of the controlling terminal of the process; ENOTTY if it has none.
    var terminal: @Sendable (_ folder: Int32) throws(Errno) -> Descriptor
    /// An `O_PATH` descriptor of the executable of the process's parent; ESRCH if no parent can be seen.
    var parent: @Sendable (_ folder: Int32) throws(Errno) -> Descriptor
    /// Whether the process started with code of others (``StartEnvironment``).
    ///
    /// The call waits for the process.
    var preloading: @Sendable (_ folder: Int32) -> Preloading
    /// Whether a program of a user serves the file system of a mount; also true for a mount that this process does not
    /// have.
    var isProvided: @Sendable (_ mount: UInt64) throws(Errno) -> Bool
    /// Whether the memory still exists whose table, `/proc/PID/pagemap`, is open as `table`.
    var hasMemory: @Sendable (_ table: Int32) -> Bool
    /// Nanoseconds since 1970, by the clock that stamps files.
    var now: @Sendable () -> Int64

    /// The kind of the file system behind a descriptor.
    ///
    /// If a program of a user serves it, that program is not asked.
    func kind(of descriptor: Int32) throws(Errno) -> FileSystemKind {
        let mount = try ProcessFacts.mount(of: descriptor, system: self)
        guard try !isProvided(mount) else { return .provided }
        return FileSystemKind(magic: try files.fileSystem(of: descriptor))
    }
}
