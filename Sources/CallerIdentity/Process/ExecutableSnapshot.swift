import Glibc

/// What a process ran when it was looked at: one file, held open so that its inode number cannot be used again.
///
/// One look says little, since a process may exec between sending a message and being looked at. So the server looks
/// before it sends the nonce, and asks ``isUnchanged()`` after the reply and at every message.
public final class ExecutableSnapshot: Sendable {
    /// `PATH_MAX`; the kernel names no longer ones.
    static let longestPath = 4096

    public let process: ProcessHandle
    /// What the kernel calls the file, which may end in " (deleted)".
    let linkText: [UInt8]
    let status: FileStatus
    /// An `O_PATH` descriptor of the executable.
    let file: Descriptor

    public var device: UInt64 { status.key.device }
    public var inode: UInt64 { status.key.inode }

    /// Looks at what `process` runs now.
    ///
    /// - Throws: ``Unidentified``: `.ended`, `.notInspectable`, `.changedMeanwhile` or `.unreadable`.
    public init(of process: ProcessHandle) throws(Unidentified) {
        let system = process.system
        let folder = process.folder.number
        let isStill: Bool
        do throws(Errno) {
            let file = try system.open("exe", in: folder, .lookThrough)
            status = try system.status(of: file.number)
            linkText = try system.link(at: "exe", in: folder)
            isStill = try system.status(at: "exe", in: folder).key == status.key
            self.file = file
        } catch { throw Self.unidentified(process, error) }
        self.process = process
        guard isStill else { throw Self.becameAnother(process) }
    }

    /// Whether the process runs the same file as then; one `fstatat` through the held folder.
    ///
    /// False as well when it has ended or can no longer be looked at.
    public func isUnchanged() -> Bool {
        (try? process.system.status(at: "exe", in: process.folder.number).key) == status.key
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
