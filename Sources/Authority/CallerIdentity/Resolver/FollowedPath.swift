import ChatelaineSystem
import Glibc

/// The canonical path and status of a path that somebody names, with symbolic links followed one by one.
///
/// The daemon asks nothing of a file system that a program of a user serves, because that program may never answer.
struct FollowedPath: ~Copyable {
    /// The kernel's own limit (path_resolution(7)).
    private static let mostLinks = 40

    let path: CanonicalPath
    let status: FileStatus
    /// Whether the path ends at the mount of a file system that a program of a user serves.
    let isProvided: Bool

    /// - Throws: EREMOTE if the path leads into a file system that a program of a user serves. ELOOP for too many
    ///   links; EILSEQ for a path that no list can show. Otherwise the error of the step that failed.
    init(_ text: String, system: IdentitySystemCalls) throws(Errno) {
        var descriptor = try system.files.open("/", in: AT_FDCWD, .look)
        var status = try system.files.knownStatus(of: descriptor.number)
        var isProvided = try system.kind(of: descriptor.number) == .provided
        var names: [ArraySlice<UInt8>] = []
        // In reverse order, so that the next name is the last element.
        var pending = Array(Self.names(in: Array(text.utf8)).reversed())
        var links = 0
        while let name = pending.popLast() {
            guard status.isFolder else { throw .notFolder }
            guard !isProvided else { throw .remote }
            guard !name.elementsEqual(".".utf8) else { continue }
            let next = try system.files.open(String(decoding: name, as: UTF8.self), in: descriptor.number, .look)
            let found = try system.files.knownStatus(of: next.number)
            if found.mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= Self.mostLinks else { throw Errno(ELOOP) }
                let target = try system.files.link(at: "", in: next.number)
                pending += Self.names(in: target).reversed()
                guard target.first == UInt8(ascii: "/") else { continue }
                descriptor = try system.files.open("/", in: AT_FDCWD, .look)
                status = try system.files.knownStatus(of: descriptor.number)
                names = []
                continue
            }
            if name.elementsEqual("..".utf8) {
                _ = names.popLast()
            } else {
                names.append(name)
            }
            if found.key.device != status.key.device {
                isProvided = try system.kind(of: next.number) == .provided
            }
            descriptor = next
            status = found
        }
        let bytes = names.isEmpty ? [UInt8(ascii: "/")] : names.flatMap { [UInt8(ascii: "/")] + $0 }
        guard let path = PrintablePath.canonical(bytes) else { throw Errno(EILSEQ) }
        self.path = path
        self.isProvided = isProvided
        self.status = status
    }

    private static func names(in path: [UInt8]) -> [ArraySlice<UInt8>] { path.split(separator: UInt8(ascii: "/")) }
}
