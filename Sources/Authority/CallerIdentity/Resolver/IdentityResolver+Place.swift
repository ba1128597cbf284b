import ChatelaineSystem
import Glibc

/// Where the executable lies: from what the kernel calls it to a canonical path that holds this very file.
extension IdentityResolver {
    struct Place {
        let path: CanonicalPath
        /// Nobody but root could have put this file there.
        let isRootOnly: Bool
        let hints: Hints
        /// What lies beside it; of a shared program nothing is looked for.
        var signature = SignatureFinder.Finding.none
    }

    /// What the kernel puts behind the name of a file that has none any more.
    private static let deletedMark: StaticString = " (deleted)"

    func resolve(_ snapshot: ExecutableSnapshot) throws(Unidentified) -> Place {
        let shown = PrintablePath.shown(snapshot.linkText)
        guard snapshot.status.isRegular else { throw Unidentified(.unreadable, "\(shown) is not a regular file") }
        guard !snapshot.linkText.starts(with: "/memfd:".utf8) else {
            throw Unidentified(.memory, "a program that runs from memory (memfd) cannot be told from any other")
        }
        guard let path = PrintablePath.canonical(snapshot.linkText) else {
            throw Unidentified(
                .unprintablePath, "the path of the program, \(shown), holds characters that no list can show")
        }
        // The mark is no proof by itself: a file may be named so.
        let failure: Errno?
        do throws(Errno) {
            let file = try CanonicalFile(at: path, system: system)
            if file.isServedByAUser { return try placeOnMount(of: file, path, snapshot) }
            if file.status.key == snapshot.status.key {
                return Place(
                    path: path, isRootOnly: file.isRootOnly && file.fileSystem == .local, hints: [],
                    signature: signature(beside: path, in: file.folder.number, file.status))
            }
            failure = nil
        } catch { failure = error }

        if let name = path.without(ending: Self.deletedMark) { return try resolveDeleted(name, snapshot) }
        guard let failure, failure != .notFound else {
            throw Unidentified(
                .otherFileAtPath,
                "\(path) is not the file that the program runs: it was replaced or hidden; start it again")
        }
        throw Unidentified(.unreadable, "\(path) cannot be looked at by the daemon: \(failure)")
    }

    /// A file on a file system that is a program of a user: which name it has there is the kernel's word alone, since that program
    /// would have to be asked for more. It counts where the file was reached through the very mount that the path leads to.
    private func placeOnMount(
        of mounted: borrowing CanonicalFile, _ path: CanonicalPath, _ snapshot: ExecutableSnapshot
    ) throws(Errno) -> Place {
        guard path.without(ending: Self.deletedMark) == nil else { throw .notFound }
        // Both are held open meanwhile.
        guard
            try ProcessFacts.mount(of: snapshot.file, system: system)
                == ProcessFacts.mount(of: mounted.descriptor.number, system: system)
        else { throw .notFound }
        return Place(path: path, isRootOnly: false, hints: [])
    }

    /// A file without a name: the program of before an upgrade, if only root can have taken its name away.
    private func resolveDeleted(_ path: CanonicalPath, _ snapshot: ExecutableSnapshot) throws(Unidentified) -> Place {
        var found = SignatureFinder.Finding.none
        guard (try? wasTakenAwayByRoot(path, snapshot, &found)) == true else {
            throw Unidentified(
                .deleted, "the file of the running program, \(path), was deleted or replaced: start the program again")
        }
        return Place(path: path, isRootOnly: true, hints: .upgraded, signature: found)
    }

    private func signature(
        beside path: CanonicalPath, in folder: Int32, _ executable: FileStatus
    ) -> SignatureFinder.Finding {
        guard let signatures, !isShared(path) else { return .none }
        return signatures.finder.beside(path, in: folder, ownedBy: executable.owner, for: ledger.user)
    }

    /// The name of a deleted file is the kernel's word alone, and in mounts of a namespace of their own users give names
    /// as they like. So it counts where the file was reached through the very mount in which its folder lies here.
    ///
    /// One mount is one file system, so that devices need not agree; overlay and Btrfs show several for one mount.
    private func wasTakenAwayByRoot(
        _ path: CanonicalPath, _ snapshot: ExecutableSnapshot, _ found: inout SignatureFinder.Finding
    ) throws(Errno) -> Bool {
        let file = snapshot.file
        guard try system.kind(of: file) == .local,
            CanonicalFile.isRootOnly(file, snapshot.status, system: system)
        else { return false }
        let folder = try CanonicalFile(at: path.folder, system: system)
        guard folder.status.isFolder, folder.isRootOnly, folder.fileSystem == .local else { return false }
        // Both are held open meanwhile: no mount can have been given the number of another.
        guard
            try ProcessFacts.mount(of: file, system: system)
                == ProcessFacts.mount(of: folder.descriptor.number, system: system)
        else { return false }
        found = signature(beside: path, in: folder.descriptor.number, snapshot.status)
        return true
    }
}
