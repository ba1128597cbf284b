import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Decides who a process is by what it runs.
///
/// The rules, in order. The namespaces of the process must be those of ``reference``. The file that the process runs
/// must be the one at its canonical path as the daemon sees it. Then the path decides (`path:`), or a declaration
/// (`dev:`), or the digest (`pinned:`).
///
/// A program that has a signature gets the identity that the signature states; if the signature does not count, it gets
/// none. At the end the process must not have executed anything, so that all answers are about one program.
package final class IdentityResolver: Sendable {
    let reference: ReferenceNamespaces
    let ledger: ApplicationLedger
    let digests: DigestCache
    package let sharedPaths: Set<CanonicalPath>
    /// Nil where the daemon checks no signatures.
    let signatures: SignatureValidator?
    /// Shared programs that the administrator named besides the built-in ones.
    package let addedInterpreters: AddedInterpreters
    let system: IdentitySystemCalls

    /// - Parameters:
    /// - Parameters:
    ///   - reference: the namespaces in which paths are looked up; ``ReferenceNamespaces/own()`` in user mode.
    ///   - ledger: the decisions of one user; programs of other users are not identified.
    ///   - sharedPaths: canonical paths of Chatelaine's own programs that serve whoever runs them, as `security` does.
    package convenience init(
        reference: ReferenceNamespaces, ledger: ApplicationLedger, digests: DigestCache,
        sharedPaths: Set<CanonicalPath> = [], signatures: SignatureValidator? = nil
    ) {
        self.init(
            reference: reference, ledger: ledger, digests: digests, sharedPaths: sharedPaths, signatures: signatures,
            system: .system)
    }

    init(
        reference: ReferenceNamespaces, ledger: ApplicationLedger, digests: DigestCache,
        sharedPaths: Set<CanonicalPath>, signatures: SignatureValidator? = nil,
        addedInterpreters: String = AddedInterpreters.path, system: IdentitySystemCalls
    ) {
        self.reference = reference
        self.ledger = ledger
        self.digests = digests
        self.sharedPaths = sharedPaths
        self.signatures = signatures
        self.addedInterpreters = AddedInterpreters(path: addedInterpreters, system: system)
        self.system = system
    }

    /// Identifies the program that `snapshot` shows.
    ///
    /// Costs a walk down the path. A `pinned:` program that was not seen before is also hashed. The answer holds for
    /// this process as long as ``ExecutableSnapshot/isStillRunning()``.
    ///
    /// - Throws: ``Unidentified``, whose text is the answer to the client.
    package func identify(_ snapshot: ExecutableSnapshot) throws(Unidentified) -> Identity {
        let process = snapshot.process
        guard process.uid == ledger.user else {
            throw Unidentified(
                .otherUser,
                "process \(process.pid) belongs to user \(process.uid), and this keychain to user \(ledger.user)")
        }
        try checkNamespaces(of: process)
        let place = try resolve(snapshot)
        let revision = ledger.revision
        let (signature, digest) = try signature(of: snapshot, place)
        let verdict =
            signature == nil ? try verdict(on: place.path, place.isRootOnly, snapshot, known: digest) : nil
        var hints = place.hints
        if ProcessFacts.isTraced(in: process.folder.number, system: system) { hints.insert(.traced) }
        if snapshot.isDegraded { hints.insert(.degradedKernel) }
        guard snapshot.isStillRunning() else { throw ExecutableSnapshot.becameAnother(process) }
        if let signature { return identity(of: snapshot, place.path, signature, hints, revision) }
        guard let verdict else { throw ExecutableSnapshot.becameAnother(process) }
        return identity(of: snapshot, place.path, verdict, hints, revision)
    }

    /// Whether the user's decisions, or the facts behind the signature, changed since the identity was judged.
    ///
    /// Costs one atomic read for an identity without a signature.
    package func needsRefreshing(_ identity: Identity) -> Bool {
        if ledger.revision != identity.ledgerRevision { return true }
        guard let signature = identity.signature else { return false }
        return signatures?.isOutdated(signature) ?? true
    }

    /// Returns the same identity, judged by the current decisions.
    ///
    /// Costs as much as ``needsRefreshing(_:)`` when no decision changed. An accepted program works on without
    /// connecting again. A program that was forgotten or newly declared is treated accordingly from its next message
    /// on. The place of the program is not looked up again, because an upgrade may have replaced the file.
    ///
    /// - Throws: ``Unidentified`` when a program that is no longer in development cannot be hashed.
    package func refreshed(_ identity: Identity, _ snapshot: ExecutableSnapshot) throws(Unidentified) -> Identity {
        guard needsRefreshing(identity) else { return identity }
        let revision = ledger.revision
        if let signature = identity.signature {
            guard let signatures else { return identity }
            return self.identity(
                of: snapshot, identity.executablePath, signatures.judge(again: signature, ledger), identity.hints,
                revision)
        }
        let verdict = try verdict(
            on: identity.executablePath, identity.state == .rootOnly, snapshot, known: identity.digest)
        return self.identity(of: snapshot, identity.executablePath, verdict, identity.hints, revision)
    }

    private func checkNamespaces(of process: ProcessHandle) throws(Unidentified) {
        let found: ReferenceNamespaces
        do throws(Errno) {
            found = try ReferenceNamespaces(in: process.folder.number, system: process.system)
        } catch .notFound { throw ended(process) } catch .noProcess { throw ended(process) } catch {
            throw Unidentified(
                .notInspectable, "the namespaces of process \(process.pid) cannot be looked at: \(error)")
        }
        guard let difference = reference.difference(from: found) else { return }
        throw Unidentified(
            .foreignNamespace,
            "process \(process.pid) has a \(difference) of its own (a container, a sandbox, or a service with private "
                + "folders), where any file can stand at any path: run it outside, or without that option")
    }

    private func ended(_ process: ProcessHandle) -> Unidentified {
        Unidentified(.ended, "process \(process.pid) ended before it could be identified")
    }
}
