import ChatelaineModel
import ChatelaineSystem
import TrustProtocol

/// What a signature makes of a program (ARCHITECTURE.md, *Signed programs*).
extension IdentityResolver {
    /// The signature of what `snapshot` shows, judged; nil where there is none. With it the digest, where that had to be found out.
    ///
    /// - Throws: ``Unidentified`` as hashing a program does that is known by its digest anyway.
    func signature(
        of snapshot: ExecutableSnapshot, _ place: Place
    ) throws(Unidentified) -> (ProgramSignature?, ExecutableDigest?) {
        guard let signatures, !isShared(place.path) else { return (nil, nil) }
        var digest: ExecutableDigest?
        if signatures.listsSignatures {
            // A program that cannot be hashed has no signature by its digest either.
            digest = try? self.digest(of: snapshot, place.path)
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
                // A name that no item is under: of a program that may be anybody nothing is taken for another's.
                user: process.uid, application: claims?.application ?? AccessGroup("rejected:\(path)")),
            assurance: Assurance.file.bounded(by: ofChannel), state: claims == nil ? .rejected : .signed,
            pid: process.pid, group: process.gid, executablePath: path,
            displayName: claims?.displayName ?? String(path.name), hints: hints,
            digest: signature.digest, ledgerRevision: revision, signature: signature)
    }

    /// What is known of the program at a path, whether it runs or not: what it would be if it asked for something now.
    ///
    /// - Parameter status: what it fails with where there is no program that could be looked at.
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

    /// Who the program at a path is, whatever signature it has.
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
    /// Who it is whatever signature it has.
    let unsigned: (application: AccessGroup, state: ApplicationState)
    package fileprivate(set) var state = ApplicationState.unknown
    package fileprivate(set) var isShared = false
    /// The signature of a shared program, which counts for nothing.
    package fileprivate(set) var ignoredSignature: String?
    package fileprivate(set) var signature: ProgramSignature?
    /// The default one first.
    package fileprivate(set) var groups: [AccessGroup] = []
}

extension SignedClaims {
    /// For lists and prompts: the last part of the identifier, which anybody can choose, and the team, which nobody can.
    fileprivate var displayName: String {
        let name = identifier.utf8.split(separator: UInt8(ascii: ".")).last.map { String(Substring($0)) } ?? identifier
        return "\(name) (\(owner.team))"
    }
}
