import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Decisions of the user about applications, and the record that a first item makes.
extension IdentityResolver {
    /// Records the program of this identity as the one at its path.
    ///
    /// The daemon calls it before it stores an item. Only a `pinned:` identity needs a record. When the method returns,
    /// the record is on disk.
    ///
    /// - Throws: `errSecAuthFailed` with ``Identity/refusal``'s text when another program is recorded; otherwise as
    ///   ``ApplicationLedger/pin(_:digest:)``.
    package func pin(_ identity: Identity) throws(KeychainError) {
        if let refusal = identity.refusal { throw refusal }
        guard identity.isToBePinned, let digest = identity.digest else { return }
        do throws(KeychainError) { try ledger.pin(identity.executablePath, digest: digest) } catch {
            throw error.cause == .changedProgram ? identity.with(state: .changed).refusal ?? error : error
        }
    }

    /// Makes the decision of `security app accept PATH`: the file that is at `path` now becomes the recorded program.
    ///
    /// - Throws: `errSecParam` when there is no such local file.
    package func acceptance(of path: String) throws(KeychainError) -> ApplicationLedger.Decision {
        let (canonical, digest) = try currentDigest(at: path)
        return .accept(canonical, digest)
    }

    /// Lists every decision for `security app list`, with the state of the file at each pinned path.
    ///
    /// Each pinned program is hashed. The state is nil where there is no program at the path.
    ///
    /// - Parameter path: limits the list to this path; nil for all.
    package func applications(
        at path: CanonicalPath? = nil
    ) -> [(record: ApplicationRecord, state: ApplicationState?)] {
        ledger.list().filter { path == nil || $0.path == path }.map { record in
            guard record.kind.isPin else { return (record, .development) }
            guard let current = try? currentDigest(at: record.path.text) else { return (record, nil) }
            return (record, record.kind == .pinned(current.digest) ? .pinned : .changed)
        }
    }

    /// Whether the program runs whatever it is told to.
    func isShared(_ path: CanonicalPath) -> Bool {
        SharedPrograms.contains(path.name) || sharedPaths.contains(path) || addedInterpreters.contains(path)
    }

    private func currentDigest(at path: String) throws(KeychainError) -> (path: CanonicalPath, digest: ExecutableDigest)
    {
        let program = try program(at: path)
        return (program.path, program.digest)
    }

    /// The program at a path now, with its digest.
    ///
    /// - Parameter status: gives the status of the error where the path holds no program.
    func program(
        at path: String, failingWith status: (Errno) -> Status = { _ in .param }
    ) throws(KeychainError) -> Program {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw KeychainError(.param, "\(PrintablePath.shown(path)) is not an absolute path")
        }
        do throws(Errno) {
            let canonical = try FollowedPath(path, system: system).path
            let file = try CanonicalFile(at: canonical, system: system)
            guard file.status.isExecutable, file.fileSystem == .local else { throw Errno(ENOEXEC) }
            let content = try system.files.open("/proc/self/fd/\(file.descriptor.number)", in: AT_FDCWD, .readThrough)
            // Never cached: while the program does not run, whoever may write the file can change it without a trace.
            let digest = try digests.compute(content.number, expecting: file.status.content, system: system)
            return Program(path: canonical, digest: digest, file: file)
        } catch {
            throw KeychainError(
                cause: .request, status: status(error),
                "\(PrintablePath.shown(path)) is no program on a local disk: \(error)")
        }
    }

    /// A program on disk, which need not be running.
    struct Program: ~Copyable {
        let path: CanonicalPath
        let digest: ExecutableDigest
        let file: CanonicalFile
    }
}

extension Identity {
    func with(state: ApplicationState) -> Identity {
        Identity(
            principal: principal, assurance: assurance, state: state, pid: pid, group: group,
            executablePath: executablePath,
            displayName: displayName, hints: hints, digest: digest, ledgerRevision: ledgerRevision, signature: signature
        )
    }
}
