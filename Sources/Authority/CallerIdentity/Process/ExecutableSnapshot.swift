import CChatelaine
import ChatelaineSystem
import Glibc

/// The file that a process ran when it was looked at, held open so that its inode number cannot be used again.
///
/// One look is not enough, since a process may execute something between sending a message and being looked at. So the
/// server looks once, before it sends the nonce. It asks ``isStillRunning()`` after the reply, after judging and at
/// every message. It never looks again: a process that executes another program must connect anew.
package final class ExecutableSnapshot: Sendable {
    package let process: ProcessHandle
    /// The kernel's name for the file, which may end in " (deleted)".
    let linkText: [UInt8]
    let status: FileStatus
    private let view: ExecutableView

    /// An `O_PATH` descriptor of the executable.
    var file: Int32 { view.executable.number }

    package var device: UInt64 { status.key.device }
    package var inode: UInt64 { status.key.inode }

    /// Looks at the program that `process` runs now.
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

    /// Whether the kernel shows no memory of the process, so that it does not tell when the process executes something.
    var isUnwatched: Bool { view.before.number < 0 }

    /// Whether the kernel does not vouch for the sender of each message, or for the program that the process runs.
    var isDegraded: Bool { process.isDegraded || isUnwatched }

    /// Whether the process still runs the program of this snapshot and has executed nothing since.
    ///
    /// Costs two reads of one byte (``MemoryTable``). A program's memory goes away when its process executes another
    /// program, and an open table of that memory goes with it. The memory stays while another process shares it
    /// (`clone` with `CLONE_VM`). So the snapshot looks at two memories, and at none from before the program.
    ///
    /// Two cases remain: a child that shares the program's own memory, and another process that reads it, for as long
    /// as the read takes. THREAT-MODEL.md describes them.
    ///
    /// Where the kernel shows no memory, the file is looked at each time through the held folder, which proves less.
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
                    + "bit, cannot be read, or belongs to another user. What helps: take those bits away, make its file "
                    + "readable, have it call prctl(PR_SET_DUMPABLE, 1), or have it run another program for its items, "
                    + "such as `security item`. Where this happens to every program, securityd was started in a sandbox: "
                    + "end it, and the next call starts another")
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

/// Asks the table of a process's memory, `/proc/PID/pagemap`, whether that memory still exists.
package enum MemoryTable {
    /// Whether a read of one byte answers at once: with EINVAL while the memory exists, and with the end of the file
    /// afterwards.
    ///
    /// A read of a whole entry waits for the lock of the memory, which the process can hold for as long as it likes.
    /// The kernel refuses one byte before it takes the lock. It must check the memory first and the size second, as all
    /// kernels since Linux 4.2 do. In the other order, memory that is gone would seem to exist; so this is tested on a
    /// process of the daemon's own.
    ///
    /// The test makes a process, so the first use must come before the sandbox forbids that.
    package static let answersAtOnce = chatelaine_memory_tables_answer_at_once() == 1
}
