import Glibc
import Synchronization

/// What a process ran when it was looked at: one file, held open so that its inode number cannot be used again.
///
/// One look says little, since a process may exec between sending a message and being looked at. So the server looks
/// before it sends the nonce, asks ``isUnchanged()`` after the reply, and ``isStillRunning()`` at every message.
public final class ExecutableSnapshot: Sendable {
    /// `PATH_MAX`; the kernel names no longer ones.
    static let longestPath = 4096

    public let process: ProcessHandle
    /// What the kernel calls the file, which may end in " (deleted)".
    let linkText: [UInt8]
    let status: FileStatus
    /// An `O_PATH` descriptor of the executable.
    let file: Descriptor
    /// The memory that the program had then (`/proc/PID/pagemap`); its number is -1 where the kernel shows none.
    private let memory: Mutex<Descriptor>

    public var device: UInt64 { status.key.device }
    public var inode: UInt64 { status.key.inode }

    /// Looks at what `process` runs now.
    ///
    /// - Throws: ``Unidentified``: `.ended`, `.notInspectable`, `.changedMeanwhile` or `.unreadable`.
    public init(of process: ProcessHandle) throws(Unidentified) {
        let system = process.system
        let folder = process.folder.number
        let isStill: Bool
        // Before the executable: as long as that memory is there, what is looked at below is what runs in it.
        memory = Mutex(Self.memory(of: process))
        do throws(Errno) {
            let file = try system.open("exe", in: folder, .lookThrough)
            status = try system.status(of: file.number)
            linkText = try system.link(at: "exe", in: folder)
            isStill = try system.status(at: "exe", in: folder).key == status.key
            self.file = file
        } catch { throw Self.unidentified(process, error) }
        self.process = process
        guard isStill, hasItsMemory ?? true else { throw Self.becameAnother(process) }
    }

    /// Whether the process runs the same file as then; one `fstatat` through the held folder.
    ///
    /// False as well when it has ended or can no longer be looked at.
    public func isUnchanged() -> Bool {
        (try? process.system.status(at: "exe", in: process.folder.number).key) == status.key
    }

    /// What ``isUnchanged()`` says, at the price of one read of eight bytes as long as nothing was executed.
    ///
    /// A program's memory goes away when a program is executed in its place; then the file is looked at again. It stays for as
    /// long as a process that shares it lives (`clone` with `CLONE_VM`): one that the program started itself, and that
    /// can do no more than lend its own identity. Where the kernel shows no such memory the file is looked at each time.
    public func isStillRunning() -> Bool {
        if hasItsMemory == true { return true }
        guard isUnchanged() else { return false }
        // The same program, executed again.
        let memory = Self.memory(of: process)
        guard isUnchanged() else { return false }
        let number = memory.release()
        self.memory.withLock { $0 = Descriptor(adopting: number) }
        return true
    }

    private static func memory(of process: ProcessHandle) -> Descriptor {
        (try? process.system.open("pagemap", in: process.folder.number, .read)) ?? Descriptor(adopting: -1)
    }

    /// nil where the kernel shows none.
    private var hasItsMemory: Bool? {
        memory.withLock { memory in
            guard memory.number >= 0 else { return nil }
            // One entry, of page 0, where nothing ever is: it is read as long as there is a table.
            var entry: UInt64 = 0
            let count = try? withUnsafeMutableBytes(of: &entry) { buffer throws(Errno) in
                try process.system.read(memory.number, into: buffer, at: 0)
            }
            return count == MemoryLayout<UInt64>.size
        }
    }

    static func becameAnother(_ process: ProcessHandle) -> Unidentified {
        Unidentified(.changedMeanwhile, "the calling process \(process.pid) became another program while it called")
    }

    private static func unidentified(_ process: ProcessHandle, _ error: Errno) -> Unidentified {
        let name = ProcessFacts.name(in: process.folder.number, system: process.system)
        let program = name.map { "\($0) (process \(process.pid))" } ?? "process \(process.pid)"
        switch error {
        case .noAccess, .notPermitted:
            return Unidentified(
                .notInspectable,
                "\(program) does not let itself be looked at: it is not dumpable, has a set-user-ID or set-group-ID "
                    + "bit, cannot be read, or belongs to another user. What helps: `security app protect PATH` for "
                    + "this program, or the system mode of the daemon")
        case .notFound, .noProcess:
            return Unidentified(.ended, "\(program) ended before it could be identified")
        default:
            return Unidentified(.unreadable, "the executable of \(program) cannot be looked at: \(error)")
        }
    }
}
