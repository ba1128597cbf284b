import CChatelaine
import Glibc
import ChatelaineSystem

/// What can be looked at of another process only by who may trace it: entries of its folder in /proc.
///
/// Linux asks so for a look at the executable and the namespaces of a process (ptrace(2), "Ptrace access mode checking"), and
/// refuses it to a process that Landlock restricts.
///
/// Everything is opened for looking, but the tables of its memory and its environment: nobody who serves a file of the process's is asked. What
/// can keep us waiting is the process itself, which executes something and does not get on with it, or keeps its memory to itself.
package enum ProcEntry: UInt8, Sendable, CaseIterable {
    /// The executable, to look at.
    case executable = 1
    case userNamespace = 2
    case mountNamespace = 3
    case root = 4
    /// The executable, to look at, between two looks at the memory, of which nothing can be read that way but whether it is
    /// still there.
    case program = 5
    /// The controlling terminal, to look at; ENOTTY where it has none. The kernel says which in `stat`.
    case terminal = 6
    /// The executable of the parent, to look at. The kernel says in `stat` who that is.
    case parent = 7
    /// Whether the environment has others' code loaded (``StartEnvironment``): an answer without a descriptor.
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

    /// The entry that a path stands for, if it is one.
    init?(_ path: String, _ mode: OpenMode) {
        switch (path, mode) {
        case ("exe", .lookThrough): self = .executable
        case ("ns/user", .lookThrough): self = .userNamespace
        case ("ns/mnt", .lookThrough): self = .mountNamespace
        case ("root", .lookThrough): self = .root
        default: return nil
        }
    }

    /// Opens it in the folder of a process, as the reader of /proc does.
    ///
    /// EINVAL for a folder that is not one of /proc.
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

/// Somebody who may look at other processes and does it for us.
package protocol ProcReader: Sendable {
    /// As ``ProcEntry/open(in:)`` answers.
    func look(at entry: ProcEntry, in folder: Int32) -> OpenedEntry
}
