import ChatelaineModel
import Glibc

/// Who is calling, and how sure that is; fixed for one handshaken connection.
package struct Identity: Sendable, Equatable {
    /// Its user, and `path:/canonical/path`, `dev:/canonical/path` or `pinned:/canonical/path`.
    package let principal: Principal
    package let assurance: Assurance
    /// As of the ledger's ``ledgerGeneration``; see ``IdentityResolver/refreshed(_:)``.
    package let state: ApplicationState
    package let pid: pid_t
    package let executablePath: CanonicalPath
    /// For lists and prompts: what the items of this identity are open to.
    package let displayName: String
    package let hints: Hints
    /// Of `pinned:` programs only: nothing else needs hashing.
    package let digest: ExecutableDigest?
    /// Which state of the decisions ``state`` was read from.
    package let ledgerGeneration: UInt64

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
