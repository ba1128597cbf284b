import CChatelaine
import Glibc

/// What can be looked at of another process only by who may trace it: entries of its folder in /proc.
///
/// Linux asks so for a look at the executable, the namespaces and the environment of a process (ptrace(2), "Ptrace access
/// mode checking"), and refuses it to a process that Landlock restricts.
public enum Sight: UInt8, Sendable, CaseIterable {
    /// The executable, to look at.
    case executable = 1
    /// The executable, to read.
    case content = 2
    case userNamespace = 3
    case mountNamespace = 4
    case root = 5
    case environment = 6
    /// The memory, of which nothing can be read that way but whether it is still there.
    case memory = 7

    private var path: String {
        switch self {
        case .executable, .content: "exe"
        case .userNamespace: "ns/user"
        case .mountNamespace: "ns/mnt"
        case .root: "root"
        case .environment: "environ"
        case .memory: "pagemap"
        }
    }

    private var isForReading: Bool {
        switch self {
        case .content, .environment, .memory: true
        case .executable, .userNamespace, .mountNamespace, .root: false
        }
    }

    /// `PROC_SUPER_MAGIC` of linux/magic.h.
    private static let processFileSystem: UInt64 = 0x9FA0

    /// The sight that a path stands for, if it is one.
    init?(_ path: String, _ mode: OpenMode) {
        switch (path, mode) {
        case ("exe", .lookThrough): self = .executable
        case ("exe", .readThrough): self = .content
        case ("ns/user", .lookThrough): self = .userNamespace
        case ("ns/mnt", .lookThrough): self = .mountNamespace
        case ("root", .lookThrough): self = .root
        case ("environ", .read): self = .environment
        case ("pagemap", .read): self = .memory
        default: return nil
        }
    }

    /// Opens it in the folder of a process, as the witness does: a close-on-exec descriptor, or a negated error number.
    ///
    /// EINVAL for a folder that is not one of /proc.
    public func open(in folder: Int32) -> Int32 {
        var magic: UInt64 = 0
        guard chatelaine_file_system(folder, &magic) == 0 else { return -errno }
        guard magic == Self.processFileSystem else { return -EINVAL }
        let file =
            isForReading
            ? openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            : chatelaine_open_path(folder, path, 1)
        return file >= 0 ? file : -errno
    }
}
