import CChatelaine
import ChatelaineSystem
import Glibc

/// What a process ran when it was looked at: one file, held open so that its inode number cannot be used again.
///
/// One look says little, since a process may execute something between sending a message and being looked at. So the
/// server looks once, before it sends the nonce, and asks ``isStillRunning()`` after the reply, after judging and at every
/// message. It never looks again: a program that executes itself has to connect anew, as any other.
package final class ExecutableSnapshot: Sendable {
    package let process: ProcessHandle
    /// What the kernel calls the file, which may end in " (deleted)".
    let linkText: [UInt8]
    let status: FileStatus
    private let view: ExecutableView

    /// An `O_PATH` descriptor of the executable.
    var file: Int32 { view.executable.number }

    package var device: UInt64 { status.key.device }
    package var inode: UInt64 { status.key.inode }

    /// Looks at what `process` runs now.
    ///
    /// - Throws: ``Unidentified``: `.ended`, `.notInspectable`, `.changedMeanwhile`, `.disturbed` or `.unreadable`.
    package init(of process: ProcessHandle) throws(Unidentified) {
        let system = process.system
        do throws(Errno) {
            let view = try system.view(process.folder.number)
            status = try system.files.knownStatus(of: view.executable.number)
            linkText = try system.files.link(at: "/proc/self/fd/\(view.executable.number)", in: AT_FDCWD)
            self.view = view
        } catch { throw Self.unidentified(process, error) }
        self.process = process
        guard isStillRunning() else { throw Self.becameAnother(process) }
    }

    /// The kernel does not say whether the process executed something meanwhile, because it shows no memory.
    var isUnwatched: Bool { view.before.number < 0 }

    /// The kernel did not vouch for who sent each message, or does not for what that process runs.
    package var isDegraded: Bool { process.isDegraded || isUnwatched }

    /// Whether the process runs what it ran then and has executed nothing since; two reads of a byte (``MemoryTable``).
    ///
    /// A program's memory goes away when its process executes another one, and so does a table of it that is held open. It
    /// stays for as long as another process shares it (`clone` with `CLONE_VM`): hence the look at two memories, and none of
    /// what came before the program. What remains is who keeps the program's own memory: a child that shares it, or another
    /// process, for as long as a read of it takes. THREAT-MODEL.md says so.
    ///
    /// Where the kernel shows no memory the file is looked at each time, through the held folder; that says less.
    package func isStillRunning() -> Bool {
        guard isUnwatched else {
            return process.system.hasMemory(view.before.number) && process.system.hasMemory(view.after.number)
        }
        return (try? process.system.files.fstatat(process.folder.number, "exe").key) == status.key
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
        case .late:
            return Unidentified(
                .disturbed,
                "\(program) could not be looked at in time: it was executing another program, perhaps, and did not get on; try again"
            )
        case .disturbed:
            return Unidentified(
                .disturbed,
                "\(program) could not be looked at in one go: the machine is too busy, or something stops the daemon; try again"
            )
        default:
            return Unidentified(.unreadable, "the executable of \(program) cannot be looked at: \(error)")
        }
    }
}

/// How the table of a process's memory, `/proc/PID/pagemap`, is asked whether that memory is still there.
package enum MemoryTable {
    /// Whether a read of one byte says so at once: refused with EINVAL while the memory is there, and the end of the file afterwards.
    ///
    /// A read of a whole entry waits for the lock of the memory, which the process can keep for as long as it likes. One
    /// byte is refused before that, by kernels that look at the memory first and then at the size, as all since Linux 4.2 do. Tried on
    /// a process of our own, since the other order would have memory seem there that is gone.
    ///
    /// Makes a process: first asked before the sandbox forbids that.
    package static let answersAtOnce = chatelaine_memory_tables_answer_at_once() == 1
}
