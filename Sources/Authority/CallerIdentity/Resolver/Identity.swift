import ChatelaineModel
import Glibc

/// Who is calling, and how sure that is; fixed for one handshaken connection.
package struct Identity: Sendable, Equatable {
    /// Its user, and `path:/canonical/path`, `dev:/canonical/path`, `pinned:/canonical/path`, or what its team calls it.
    package let principal: Principal
    package let assurance: Assurance
    /// As of the ledger's ``ledgerRevision``; see ``IdentityResolver/refreshed(_:)``.
    package let state: ApplicationState
    package let pid: pid_t
    /// The effective group of the process, as the kernel said it when the connection was made.
    package let group: gid_t
    package let executablePath: CanonicalPath
    /// For lists and prompts: what the items of this identity are open to.
    package let displayName: String
    package let hints: Hints
    /// Of `pinned:` and signed programs only: nothing else needs hashing.
    package let digest: ExecutableDigest?
    /// Which state of the decisions ``state`` was read from.
    package let ledgerRevision: UInt64
    /// Nil of a program that has none.
    package var signature: ProgramSignature?

    /// Whether a person lets this connection in although its program changed.
    package private(set) var isAdmittedOnce = false

    package var identifier: AccessGroup { principal.application }

    /// Access groups, the default one first; none of a program whose signature does not count.
    package var groups: [AccessGroup] {
        guard let signature else { return [principal.application] }
        return signature.claims?.groups ?? []
    }

    /// Whether its file is to be recorded before its first item is stored.
    package var isToBePinned: Bool { state == .unknown }

    /// What every call of this identity must be answered with, if it must be refused: a pinned program that changed, and one whose
    /// signature does not count.
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

    /// The same, let in until its connection ends.
    package func admittedOnce() -> Identity {
        var identity = self
        identity.isAdmittedOnce = true
        return identity
    }
}

/// What is known of the program at a path. The words are in reports (`wire.md`): they never change.
package enum ApplicationState: String, Sendable {
    /// Only root can change the file or put another in its place, so nothing needs to be recorded.
    case rootOnly = "rootOnly"
    /// The user declared it as in development: its content may change all day.
    case development = "development"
    /// Never stored anything: no digest is recorded, and it owns nothing.
    case unknown = "unknown"
    /// Its digest is the recorded one.
    case pinned = "pinned"
    /// Another program stands where the recorded one stood.
    case changed = "changed"
    /// Its signature counts, and says who it is.
    case signed = "signed"
    /// It has a signature that does not count, so that nobody knows who it is.
    case rejected = "rejected"
}

/// Circumstances worth showing; no decision rests on them, since a program of the same user can hide each.
package struct Hints: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A debugger is attached (`TracerPid`).
    package static let traced = Hints(rawValue: 1)
    /// The file was removed from a root-only folder while the program ran, as a package upgrade does.
    package static let upgraded = Hints(rawValue: 2)
    /// The kernel does not vouch for the sender of each message, whatever ``Identity/assurance`` says besides.
    package static let degradedKernel = Hints(rawValue: 4)
}
