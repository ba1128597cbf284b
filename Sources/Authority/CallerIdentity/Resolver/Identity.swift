import ChatelaineModel
import Glibc

/// Who is calling, and how sure that is.
///
/// It is fixed for one handshaken connection.
package struct Identity: Sendable, Equatable {
    /// The user, and `path:/canonical/path`, `dev:/canonical/path`, `pinned:/canonical/path`, or the identifier from
    /// the signature.
    package let principal: Principal
    package let assurance: Assurance
    /// The state at the ledger's ``ledgerRevision``; see ``IdentityResolver/refreshed(_:)``.
    package let state: ApplicationState
    package let pid: pid_t
    /// The effective group of the process, as the kernel reported it when the connection was made.
    package let group: gid_t
    package let executablePath: CanonicalPath
    /// The name for lists and prompts: it says to whom the items of this identity are open.
    package let displayName: String
    package let hints: Hints
    /// The digest of a `pinned:` or signed program; other programs need no hashing.
    package let digest: ExecutableDigest?
    /// The ledger revision at which ``state`` was read.
    let ledgerRevision: UInt64
    /// Nil for a program without a signature.
    package var signature: ProgramSignature?

    /// Whether a person lets this connection in although the file of its program changed.
    private(set) var isAdmittedOnce = false

    package var identifier: AccessGroup { principal.application }

    /// Access groups, the default one first.
    ///
    /// A program whose signature does not count has none.
    package var groups: [AccessGroup] {
        guard let signature else { return [principal.application] }
        return signature.claims?.groups ?? []
    }

    /// Whether the digest of its file must be recorded before its first item is stored.
    package var isToBePinned: Bool { state == .unknown }

    /// The error that answers every call of this identity, or nil if its calls are accepted.
    ///
    /// A pinned program that changed is refused, and so is a program whose signature does not count.
    package var refusal: KeychainError? {
        if let complaint = signature?.complaint {
            return KeychainError(
                .missingEntitlement,
                "\(complaint). \(executablePath) has no access group meanwhile; see `security app show \(ShellWord.quoted(executablePath.text))`"
            )
        }
        guard state == .changed, !isAdmittedOnce else { return nil }
        let path = ShellWord.quoted(executablePath.text)
        return KeychainError(
            cause: .changedProgram,
            "the program \(executablePath) is not the one that stored these items: its file has changed. If you changed "
                + "it yourself, run `security app accept \(path)`; if you keep rebuilding it, run "
                + "`security app develop \(path)`")
    }

    /// The same identity, admitted until its process ends.
    package func admittedOnce() -> Identity {
        var identity = self
        identity.isAdmittedOnce = true
        return identity
    }
}

/// Circumstances worth showing. No decision rests on them, since a program of the same user can hide each.
package struct Hints: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A debugger is attached (`TracerPid`).
    package static let traced = Hints(rawValue: 1)
    /// The file was removed from a root-only folder while the program ran, as a package upgrade does.
    package static let upgraded = Hints(rawValue: 2)
    /// The kernel does not vouch for the sender of each message, whatever ``Identity/assurance`` says.
    package static let degradedKernel = Hints(rawValue: 4)
}
