import ChatelaineModel
import Glibc

/// Who is calling, and how sure that is; fixed for one handshaken connection.
package struct Identity: Sendable, Equatable {
    /// Its user, and `path:/canonical/path`, `dev:/canonical/path` or `pinned:/canonical/path`.
    package let principal: Principal
    package let assurance: Assurance
    /// As of the ledger's ``ledgerRevision``; see ``IdentityResolver/refreshed(_:)``.
    package let state: ApplicationState
    package let pid: pid_t
    package let executablePath: CanonicalPath
    /// For lists and prompts: what the items of this identity are open to.
    package let displayName: String
    package let hints: Hints
    /// Of `pinned:` programs only: nothing else needs hashing.
    package let digest: ExecutableDigest?
    /// Which state of the decisions ``state`` was read from.
    package let ledgerRevision: UInt64

    package var identifier: AccessGroup { principal.application }

    /// What every call of this identity must be answered with, if it must be refused: a pinned program that changed.
    package var refusal: KeychainError? {
        guard state == .changed else { return nil }
        let path = ShellWord.quoted(executablePath.text)
        return KeychainError(
            cause: .changedProgram,
            "the program \(executablePath) is not the one that stored these items: its file has changed. If you changed "
                + "it yourself, run `security app accept \(path)`; if you keep rebuilding it, run "
                + "`security app develop \(path)`")
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
