import ChatelaineModel
import ChatelaineSystem
import TrustProtocol

/// How a signature changes the identity of a program (ARCHITECTURE.md, *Signed programs*).
extension IdentityResolver {
    /// Judges the signature of the program that `snapshot` shows.
    ///
    /// Returns nil for the signature if there is none. Returns the digest too if it was computed on the way.
    ///
    /// - Throws: ``Unidentified`` if the program has a signature beside it and cannot be hashed, or if it may be in the
    ///   list and cannot be hashed at this moment.
    func signature(
        of snapshot: ExecutableSnapshot, _ place: Place
    ) throws(Unidentified) -> (ProgramSignature?, ExecutableDigest?) {
        guard let signatures, !isShared(place.path) else { return (nil, nil) }
        var digest: ExecutableDigest?
        if signatures.listsSignatures {
            do throws(Unidentified) { digest = try self.digest(of: snapshot, place.path) } catch {
                // Such a program cannot be found by its digest, now or later. Any other error passes, and until then
                // nobody knows whether the program is signed.
                guard error.reason == .remoteFileSystem || error.reason == .tooLarge else { throw error }
            }
        }
        if let digest {
            let listed = signatures.finder.listed(digest)
            if listed != .none { return (judge(listed, digest, by: signatures), digest) }
        }
        guard place.signature != .none else { return (nil, digest) }
        if digest == nil { digest = try self.digest(of: snapshot, place.path) }
        return (judge(place.signature, digest, by: signatures), digest)
    }

    private func judge(
        _ finding: SignatureFinder.Finding, _ digest: ExecutableDigest?, by signatures: SignatureValidator
    ) -> ProgramSignature? {
        switch finding {
        case .none: nil
        case .defect(let defect, let path, let detail): signatures.rejected(path, digest, defect, detail)
        case .found(let file):
            digest.map { signatures.judge(file, of: $0, ledger) }
                ?? signatures.rejected(file.path, nil, .unreadable, "the program cannot be hashed")
        }
    }

    func identity(
        of snapshot: ExecutableSnapshot, _ path: CanonicalPath, _ signature: ProgramSignature, _ hints: Hints,
        _ revision: UInt64
    ) -> Identity {
        let process = snapshot.process
        let claims = signature.claims
        let ofChannel: Assurance = snapshot.isDegraded ? .degraded : .kernel
        return Identity(
            principal: Principal(
                // No item is stored under this name, so a rejected program never counts as another one.
                user: process.uid, application: claims?.application ?? AccessGroup("rejected:\(path)")),
            assurance: Assurance.file.bounded(by: ofChannel), state: claims == nil ? .rejected : .signed,
            pid: process.pid, group: process.gid, executablePath: path,
            displayName: claims?.displayName ?? String(path.name), hints: hints,
            digest: signature.digest, ledgerRevision: revision, signature: signature)
    }

    /// Judges the program at a path, running or not: the identity that it would have if it connected now.
    ///
    /// - Parameter status: gives the status of the error where the path holds no program.
    package func judgement(
        of text: String, failingWith status: (Errno) -> Status = { _ in .param }
    ) throws(KeychainError) -> ProgramJudgement {
        let program = try program(at: text, failingWith: status)
        let (path, digest) = (program.path, program.digest)
        var judgement = ProgramJudgement(path: path, digest: digest, unsigned: unsignedIdentity(of: program))
        judgement.isShared = isShared(path)
        var finding = SignatureFinder.Finding.none
        if let signatures {
            finding = signatures.finder.listed(digest)
            if finding == .none {
                finding = signatures.finder.beside(
                    path, in: program.file.folder.number, ownedBy: program.file.status.owner, for: ledger.user)
            }
            if finding != .none, !judgement.isShared { judgement.signature = judge(finding, digest, by: signatures) }
        }
        if judgement.isShared { judgement.ignoredSignature = finding.path }
        if let signature = judgement.signature {
            judgement.state = signature.claims == nil ? .rejected : .signed
            judgement.groups = signature.claims?.groups ?? []
            return judgement
        }
        judgement.state = judgement.unsigned.state
        judgement.groups = [judgement.unsigned.application]
        return judgement
    }

    /// The identity of the program at a path without regard to its signature.
    private func unsignedIdentity(of program: borrowing Program) -> (application: AccessGroup, state: ApplicationState)
    {
        let (path, state): (CanonicalPath, ApplicationState) = (
            program.path, program.file.isRootOnly ? .rootOnly : ledger.evaluate(program.path, digest: program.digest)
        )
        let scheme =
            switch state {
            case .rootOnly: "path"
            case .development: "dev"
            default: "pinned"
            }
        return (AccessGroup("\(scheme):\(path)"), state)
    }
}

/// What is known of the program at a path.
package struct ProgramJudgement: Sendable {
    package let path: CanonicalPath
    package let digest: ExecutableDigest
    /// The identity without regard to the signature.
    let unsigned: (application: AccessGroup, state: ApplicationState)
    package fileprivate(set) var state = ApplicationState.unknown
    package fileprivate(set) var isShared = false
    /// The path of a signature for a shared program; such a signature does not count.
    package fileprivate(set) var ignoredSignature: String?
    package fileprivate(set) var signature: ProgramSignature?
    /// Access groups, the default one first.
    package fileprivate(set) var groups: [AccessGroup] = []
}

extension SignedClaims {
    /// The name for lists and prompts: the last part of the identifier, which anybody can choose, and the team, which
    /// nobody can.
    fileprivate var displayName: String {
        let name = identifier.utf8.split(separator: UInt8(ascii: ".")).last.map { String(Substring($0)) } ?? identifier
        return "\(name) (\(owner.team))"
    }
}
