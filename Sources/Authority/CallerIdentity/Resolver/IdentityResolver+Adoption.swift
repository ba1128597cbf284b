import ChatelaineModel

/// Which items of a program go over when it is signed for the first time.
package struct Adoption: Sendable {
    package let path: CanonicalPath
    package let digest: ExecutableDigest
    /// What the program is by its place or its bytes.
    package let unsigned: AccessGroup
    /// What its team calls it.
    package let signed: AccessGroup
    fileprivate let state: ApplicationState
}

extension IdentityResolver {
    /// Whose items `security app adopt` moves: those that the program at a path stored unsigned, and itself now that it is signed.
    ///
    /// The file has to be the one whose items these are: the recorded one, or one that only root can change. Whoever puts another file there, or
    /// signs another, gets nothing.
    ///
    /// - Throws: `errSecParam` where it is not signed or in development, `errSecAuthFailed` where it is another program than the recorded one.
    package func adoption(of text: String) throws(KeychainError) -> Adoption {
        let judgement = try judgement(of: text)
        guard let claims = judgement.signature?.claims else {
            throw KeychainError(
                .param,
                "\(judgement.path) has no signature that counts; see `security app show \(ShellWord.quoted(judgement.path.text))`"
            )
        }
        switch judgement.unsigned.state {
        case .development:
            throw KeychainError(
                .param,
                "\(judgement.path) is in development: nobody knows which program stored its items. Take that back with `security app forget`, and what the program stored before belongs to it"
            )
        case .changed:
            throw KeychainError(
                cause: .changedProgram,
                "\(judgement.path) is not the program that stored these items: its file has changed. Sign the very file, or accept this one first"
            )
        default: break
        }
        return Adoption(
            path: judgement.path, digest: judgement.digest, unsigned: judgement.unsigned.application,
            signed: claims.application, state: judgement.unsigned.state)
    }

    /// Records the file of a program whose items come back to it, as when it stores its first one.
    package func pin(_ adoption: Adoption) throws(KeychainError) {
        guard adoption.state == .unknown else { return }
        try ledger.pin(adoption.path, digest: adoption.digest)
    }
}
