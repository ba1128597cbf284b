import ChatelaineModel

/// What a path, a declaration and a digest make of a program.
extension ExecutableJudge {
    struct Verdict {
        let scheme: String
        let state: ApplicationState
        let digest: ExecutableDigest?
    }

    func verdict(
        on path: String, _ isRootOnly: Bool, _ snapshot: ExecutableSnapshot, known: ExecutableDigest?
    ) throws(Unidentified) -> Verdict {
        if isRootOnly { return Verdict(scheme: "path", state: .rootOnly, digest: nil) }
        if ledger.isInDevelopment(path) { return Verdict(scheme: "dev", state: .development, digest: known) }
        let digest: ExecutableDigest
        if let known { digest = known } else { digest = try self.digest(of: snapshot, path) }
        let state = ledger.evaluate(path, digest: digest)
        // Declared between the two questions: the next refresh would say so as well.
        return Verdict(scheme: state == .development ? "dev" : "pinned", state: state, digest: digest)
    }

    func identity(
        of process: ProcessHandle, _ path: String, _ verdict: Verdict, _ hints: Hints, _ generation: UInt64
    ) -> Identity {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        let isShared = SharedPrograms.contains(name) || isShared(path)
        // Weakest last: whoever shares a program's identity gains nothing from a better kernel.
        let assurance: Assurance = isShared ? .shared : process.isDegraded ? .degraded : .file
        let displayName =
            isShared
            ? "any script of this user (\(name))"
            : verdict.state == .development ? "\(name) (in development)" : String(name)
        return Identity(
            identifier: "\(verdict.scheme):\(path)", assurance: assurance, state: verdict.state, uid: process.uid,
            pid: process.pid, executablePath: path, displayName: displayName, hints: hints, digest: verdict.digest,
            ledgerGeneration: generation)
    }

    private func digest(of snapshot: ExecutableSnapshot, _ path: String) throws(Unidentified) -> ExecutableDigest {
        do throws(Errno) {
            guard FileSystemKind(magic: try system.fileSystem(of: snapshot.file.number)) == .local else {
                throw .remote
            }
            // Asked anew: an unlinked or renamed file has another time of change than when it was first looked at.
            let status = try system.status(of: snapshot.file.number)
            return try digests.digest(of: status) { () throws(Errno) in
                try system.open("exe", in: snapshot.process.folder.number, .readThrough)
            }
        } catch .remote {
            throw Unidentified(
                .remoteFileSystem,
                "\(path) lies on a network or FUSE file system, which may show us another file than it runs: install the "
                    + "program on a local disk, or declare it with `security app develop \(PrintablePath.quoted(path))`"
            )
        } catch .tooBig {
            throw Unidentified(
                .tooLarge, "\(path) is larger than \(DigestCache.largestExecutable >> 20) MiB: it cannot be recognised")
        } catch .stale {
            throw Unidentified(.changedMeanwhile, "\(path) was changed while it was looked at: try again")
        } catch {
            throw Unidentified(.unreadable, "\(path) cannot be read by the daemon: \(error)")
        }
    }
}
