import ChatelaineSystem
import Glibc

/// Where the executable lies: finds the canonical path that holds the file that the kernel names.
extension IdentityResolver {
    struct Place {
        let path: CanonicalPath
        /// Whether nobody but root could have put this file there.
        let isRootOnly: Bool
        let hints: Hints
        /// The signature file beside the program; not looked for beside a shared program.
        var signature = SignatureFinder.Finding.none
    }

    /// What the kernel appends to the name of a deleted file.
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
        // The mark proves nothing by itself: a file name may end in it.
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

    /// Places a file on a file system that a program of a user serves.
    ///
    /// The path is the kernel's word alone, because only that program could confirm it. The path counts if the process
    /// reached the file through the mount to which the path leads here.
    private func placeOnMount(
        of mounted: borrowing CanonicalFile, _ path: CanonicalPath, _ snapshot: ExecutableSnapshot
    ) throws(Errno) -> Place {
        guard path.without(ending: Self.deletedMark) == nil else { throw .notFound }
        // Both descriptors stay open meanwhile, so neither mount number can be reused.
        guard
            try ProcessFacts.mount(of: snapshot.file, system: system)
                == ProcessFacts.mount(of: mounted.descriptor.number, system: system)
        else { throw .notFound }
        return Place(path: path, isRootOnly: false, hints: [])
    }

    /// Places a deleted file: the program from before an upgrade, if only root can have deleted it.
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

    /// Whether only root can have deleted the file of a running program.
    ///
    /// The name of a deleted file is the kernel's word alone, and in their own mount namespaces users choose names
    /// freely. So the name counts only if the file was reached through the mount in which its folder lies here.
    ///
    /// Device numbers are not compared: overlay and Btrfs show several of them in one mount.
    private func wasTakenAwayByRoot(
        _ path: CanonicalPath, _ snapshot: ExecutableSnapshot, _ found: inout SignatureFinder.Finding
    ) throws(Errno) -> Bool {
        let file = snapshot.file
        guard try system.kind(of: file) == .local,
            CanonicalFile.isRootOnly(file, snapshot.status, system: system)
        else { return false }
        let folder = try CanonicalFile(at: path.folder, system: system)
        guard folder.status.isFolder, folder.isRootOnly, folder.fileSystem == .local else { return false }
        // Both descriptors stay open meanwhile, so neither mount number can be reused.
        guard
            try ProcessFacts.mount(of: file, system: system)
                == ProcessFacts.mount(of: folder.descriptor.number, system: system)
        else { return false }
        found = signature(beside: path, in: folder.descriptor.number, snapshot.status)
        return true
    }
}
