import Glibc

/// Where the executable lies: from what the kernel calls it to a canonical path that holds this very file.
extension ExecutableJudge {
    struct Place {
        let path: String
        /// Nobody but root could have put this file there.
        let isRootOnly: Bool
        let hints: Hints
    }

    private static let deletedMark = Array(" (deleted)".utf8)

    func resolve(_ snapshot: ExecutableSnapshot) throws(Unidentified) -> Place {
        let shown = PrintablePath.shown(snapshot.linkText)
        guard snapshot.status.isRegular else { throw Unidentified(.unreadable, "\(shown) is not a regular file") }
        guard let path = PrintablePath.text(snapshot.linkText), path.hasPrefix("/") else {
            throw Unidentified(
                .unprintablePath, "the path of the program, \(shown), holds characters that no list can show")
        }
        // The mark is no proof by itself: a file may be named so.
        let failure: Errno?
        do throws(Errno) {
            let file = try CanonicalFile(at: path, system: system)
            if file.status.key == snapshot.status.key {
                return Place(path: path, isRootOnly: file.weakness == nil && file.fileSystem == .local, hints: [])
            }
            failure = nil
        } catch { failure = error }

        if snapshot.linkText.suffix(Self.deletedMark.count).elementsEqual(Self.deletedMark) {
            return try resolveDeleted(String(path.dropLast(Self.deletedMark.count)), snapshot)
        }
        guard let failure, failure != .notFound else {
            throw Unidentified(
                .otherFileAtPath,
                "\(path) is not the file that the program runs: it was replaced or hidden; start it again")
        }
        throw Unidentified(.unreadable, "\(path) cannot be looked at by the daemon: \(failure)")
    }

    /// A file without a name: the program of before an upgrade, if only root can have taken its name away.
    private func resolveDeleted(_ path: String, _ snapshot: ExecutableSnapshot) throws(Unidentified) -> Place {
        guard !path.hasPrefix("/memfd:") else {
            throw Unidentified(.memory, "a program that runs from memory (memfd) cannot be told from any other")
        }
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        if CanonicalFile.isRootOnly(snapshot.file.number, snapshot.status, system: system),
            (try? system.fileSystem(of: snapshot.file.number)).map(FileSystemKind.init(magic:)) == .local,
            isRootOnlyFolder(folder.isEmpty ? "/" : String(folder))
        {
            return Place(path: path, isRootOnly: true, hints: .upgraded)
        }
        throw Unidentified(
            .deleted, "the file of the running program, \(path), was deleted or replaced: start the program again")
    }

    private func isRootOnlyFolder(_ path: String) -> Bool {
        do throws(Errno) {
            let folder = try CanonicalFile(at: path, system: system)
            return folder.status.isFolder && folder.weakness == nil && folder.fileSystem == .local
        } catch { return false }
    }
}
