import CChatelaine
import ChatelaineSystem
import Glibc

/// An entry of a process's folder in /proc that only a process which may trace it can look at.
///
/// Linux requires that right for a look at the executable and the namespaces of a process (ptrace(2), "Ptrace access
/// mode checking"). It refuses the look to a process that Landlock restricts.
///
/// Everything is opened with `O_PATH`, except the tables of the memory and the environment, so no server of a file of
/// the process is asked. Only the process itself can delay a look: by an execve(2) that does not finish, or by holding
/// the lock of its memory.
package enum ProcEntry: UInt8, Sendable, CaseIterable {
    /// An `O_PATH` descriptor of the executable.
    case executable = 1
    case userNamespace = 2
    case mountNamespace = 3
    case root = 4
    /// An `O_PATH` descriptor of the executable between two descriptors of the memory, which show only whether the
    /// memory still exists.
    case program = 5
    /// An `O_PATH` descriptor of the controlling terminal that the kernel names in `stat`; ENOTTY if there is none.
    case terminal = 6
    /// An `O_PATH` descriptor of the executable of the parent that the kernel names in `stat`.
    case parent = 7
    /// Whether the environment makes the loader load code of others (``StartEnvironment``); an answer without a
    /// descriptor.
    case environment = 8

    private var path: String {
        switch self {
        case .executable, .program: "exe"
        case .userNamespace: "ns/user"
        case .mountNamespace: "ns/mnt"
        case .root: "root"
        case .terminal, .parent: "stat"
        case .environment: "environ"
        }
    }

    /// `PROC_SUPER_MAGIC` of linux/magic.h.
    private static let processFileSystem: UInt64 = 0x9FA0

    /// The entry that a path and a mode stand for; nil if there is none.
    init?(_ path: String, _ mode: OpenMode) {
        switch (path, mode) {
        case ("exe", .lookThrough): self = .executable
        case ("ns/user", .lookThrough): self = .userNamespace
        case ("ns/mnt", .lookThrough): self = .mountNamespace
        case ("root", .lookThrough): self = .root
        default: return nil
        }
    }

    /// Opens the entry in the folder of a process; the reader of /proc runs this.
    ///
    /// The error is EINVAL for a folder outside /proc.
    package func open(in folder: Int32) -> OpenedEntry {
        var magic: UInt64 = 0
        guard chatelaine_file_system(folder, &magic) == 0 else { return OpenedEntry(error: errno) }
        guard magic == Self.processFileSystem else { return OpenedEntry(error: EINVAL) }
        guard self != .program else { return .ofProgram(in: folder) }
        guard self != .terminal else { return .ofTerminal(in: folder) }
        guard self != .parent else { return .ofParent(of: folder) }
        guard self != .environment else { return .ofEnvironment(in: folder) }
        return OpenedEntry(opened: chatelaine_open_path(folder, path, 1))
    }
}

/// Looks at other processes for a process that may not do so itself.
package protocol ProcReader: Sendable {
    /// Opens an entry; the result is that of ``ProcEntry/open(in:)``.
    func look(at entry: ProcEntry, in folder: Int32) -> OpenedEntry
}
