import ChatelaineModel
import Glibc

/// What a user decides about applications, and what a first item records.
extension ExecutableJudge {
    /// Records the program of this identity as the one at its path; the daemon calls it before it stores an item.
    ///
    /// Only `pinned:` identities need it; the others pass. When it returns, the record is on disk.
    ///
    /// - Throws: `errSecAuthFailed` with ``Identity/refusal``'s text when another program is recorded; otherwise as
    ///   ``ApplicationLedger/pin(_:digest:)``.
    public func pin(_ identity: Identity) throws(KeychainError) {
        if let refusal = identity.refusal { throw refusal }
        guard identity.state == .unknown, let digest = identity.digest else { return }
        do throws(KeychainError) { try ledger.pin(identity.executablePath, digest: digest) } catch {
            throw error.status == .authFailed ? identity.with(state: .changed).refusal ?? error : error
        }
    }

    /// `security app accept PATH`: takes the file that stands at `path` now for the recorded program.
    ///
    /// - Throws: `errSecParam` when there is no such local file, `errSecItemNotFound` when no program is recorded for it.
    public func accept(_ path: String) throws(KeychainError) {
        let (canonical, digest) = try currentDigest(at: path)
        try ledger.accept(canonical, digest: digest)
    }

    /// `security app list`: every decision, with what stands at each pinned path now; nil where nothing does.
    public func applications() -> [(record: ApplicationRecord, state: ApplicationState?)] {
        ledger.list().map { record in
            guard record.kind.isPin else { return (record, .development) }
            guard let current = try? currentDigest(at: record.path) else { return (record, nil) }
            return (record, record.kind == .pinned(current.digest) ? .pinned : .changed)
        }
    }

    func isShared(_ path: String) -> Bool { sharedPaths.contains(path) }

    private func currentDigest(at path: String) throws(KeychainError) -> (path: String, digest: ExecutableDigest) {
        guard path.hasPrefix("/") else {
            throw KeychainError(.param, "\(PrintablePath.shown(path)) is not an absolute path")
        }
        do throws(Errno) {
            let found = try system.open(path, in: AT_FDCWD, .lookThrough)
            let text = try system.link(at: "/proc/self/fd/\(found.number)", in: AT_FDCWD)
            guard let canonical = PrintablePath.text(text) else { throw Errno(EILSEQ) }
            let file = try CanonicalFile(at: canonical, system: system)
            guard file.status.isExecutable, file.fileSystem == .local else { throw Errno(ENOEXEC) }
            let digest = try digests.digest(of: file.status) { () throws(Errno) in
                try system.open("/proc/self/fd/\(file.descriptor.number)", in: AT_FDCWD, .readThrough)
            }
            return (canonical, digest)
        } catch { throw KeychainError(.param, "\(PrintablePath.shown(path)) is no program on a local disk: \(error)") }
    }
}

extension Identity {
    func with(state: ApplicationState) -> Identity {
        Identity(
            identifier: identifier, assurance: assurance, state: state, uid: uid, pid: pid,
            executablePath: executablePath, displayName: displayName, hints: hints, digest: digest,
            ledgerGeneration: ledgerGeneration)
    }
}
