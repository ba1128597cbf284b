import ChatelaineModel

/// The items that move when a program is signed for the first time.
package struct Adoption: Sendable {
    package let path: CanonicalPath
    package let digest: ExecutableDigest
    /// The access group of the program without its signature: from its path or its digest.
    package let unsigned: AccessGroup
    /// The access group that the signature gives it.
    package let signed: AccessGroup
    fileprivate let state: ApplicationState
}

extension IdentityResolver {
    /// Finds the items that `security app adopt` moves: those that the program at a path stored before it was signed.
    ///
    /// The file must be the one that stored the items: the recorded file, or one that only root can change. Somebody
    /// who puts another file there, or signs another file, gets nothing.
    ///
    /// - Throws: `errSecParam` if the program is not signed or is in development; `errSecAuthFailed` if it is not the
    ///   recorded program.
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

    /// Records the file of a program that adopts items, as when a program stores its first item.
    package func pin(_ adoption: Adoption) throws(KeychainError) {
        guard adoption.state == .unknown else { return }
        try ledger.pin(adoption.path, digest: adoption.digest)
    }
}
