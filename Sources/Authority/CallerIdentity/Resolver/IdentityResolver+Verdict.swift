import ChatelaineModel
import ChatelaineSystem

/// Decides the identity of an unsigned program from its path, a declaration and its digest.
extension IdentityResolver {
    struct Verdict {
        let scheme: String
        let state: ApplicationState
        let digest: ExecutableDigest?
    }

    func verdict(
        on path: CanonicalPath, _ isRootOnly: Bool, _ snapshot: ExecutableSnapshot, known: ExecutableDigest?
    ) throws(Unidentified) -> Verdict {
        if isRootOnly { return Verdict(scheme: "path", state: .rootOnly, digest: nil) }
        if ledger.isInDevelopment(path) { return Verdict(scheme: "dev", state: .development, digest: known) }
        let digest: ExecutableDigest
        if let known { digest = known } else { digest = try self.digest(of: snapshot, path) }
        let state = ledger.evaluate(path, digest: digest)
        // The user may have declared the program between the two questions; the next refresh would find the same.
        return Verdict(scheme: state == .development ? "dev" : "pinned", state: state, digest: digest)
    }

    func identity(
        of snapshot: ExecutableSnapshot, _ path: CanonicalPath, _ verdict: Verdict, _ hints: Hints, _ revision: UInt64
    ) -> Identity {
        let process = snapshot.process
        let name = path.name
        let isShared = isShared(path)
        let ofFile: Assurance = isShared ? .shared : .file
        let ofChannel: Assurance = snapshot.isDegraded ? .degraded : .kernel
        let displayName =
            isShared
            ? "any script of this user (\(name))"
            : verdict.state == .development ? "\(name) (in development)" : String(name)
        return Identity(
            principal: Principal(user: process.uid, application: AccessGroup("\(verdict.scheme):\(path)")),
            assurance: ofFile.bounded(by: ofChannel), state: verdict.state, pid: process.pid, group: process.gid,
            executablePath: path,
            displayName: displayName, hints: hints, digest: verdict.digest,
            ledgerRevision: revision)
    }

    func digest(of snapshot: ExecutableSnapshot, _ path: CanonicalPath) throws(Unidentified) -> ExecutableDigest {
        do throws(Errno) {
            return try digests.digest(of: snapshot)
        } catch .remote {
            throw Unidentified(
                .remoteFileSystem,
                "\(path) lies on a network or FUSE file system, which may show us another file than it runs: install the "
                    + "program on a local disk, or declare it, or the folder at which that is mounted, with `security app develop \(ShellWord.quoted(path.text))`"
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
