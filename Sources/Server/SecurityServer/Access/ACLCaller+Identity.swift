import CallerIdentity
import ChatelaineModel

extension ACLCaller {
    /// A program as access objects of file keychains know it: Apple's kinds of code, translated to Chatelaine's kinds
    /// (behaviour/access-objects.md, 27 to 30).
    ///
    /// - Parameter tools: the paths of the `security` command, which serves whoever runs it.
    init(_ identity: Identity, tools: Set<CanonicalPath>) {
        let path = ExactText(identity.executablePath.text)
        let process = ProcessUser(user: identity.principal.user, group: identity.group)
        guard !tools.contains(identity.executablePath) else {
            self.init(.securityTool, identity.assurance, at: path, .valid, in: .appleTool, as: process)
            return
        }
        var doubts: Doubts = identity.hints.contains(.traced) ? .traced : []
        let digest = identity.digest
        let (known, standing, partition): (TrustedApplication.Identity?, CodeStanding, PartitionID?)
        switch identity.state {
        case .signed:
            known = .identifier(identity.identifier)
            (standing, partition) = (.valid, (identity.signature?.claims?.owner.team).map { PartitionID($0) })
        case .rootOnly: (known, standing, partition) = (.identifier(identity.identifier), .valid, .apple)
        case .rejected: (known, standing, partition) = (nil, identity.rejectedStanding, nil)
        case .development, .unknown, .pinned, .changed:
            if identity.state == .development { doubts.insert(.inDevelopment) }
            known = digest.map { .digest($0) }
            (standing, partition) = (.unsigned, digest.map { PartitionID($0) })
        }
        self.init(known, identity.assurance, at: path, standing, in: partition, doubts: doubts, as: process)
    }
}

extension Identity {
    /// A signature that could not be read may count later.
    ///
    /// One that does not count is the program's own fault.
    fileprivate var rejectedStanding: CodeStanding {
        if case .defect(.unreadable, _)? = signature?.outcome { .unreadable } else { .invalid }
    }
}

extension TrustedApplication {
    /// The program at a path, whether it runs or not, as `SecTrustedApplicationCreateFromPath` and `-T` list it.
    ///
    /// An interpreter, and a program in development, can be listed. A person is asked about them nevertheless.
    ///
    /// - Throws: `errSecParam` for a program whose signature does not count, since such a program has no identity.
    init(_ judgement: ProgramJudgement, tools: Set<CanonicalPath>) throws(KeychainError) {
        let path = ExactText(judgement.path.text)
        guard !tools.contains(judgement.path) else {
            self.init(.securityTool, .shared, at: path)
            return
        }
        if let complaint = judgement.signature?.complaint {
            throw KeychainError(.param, "\(complaint). \(judgement.path) cannot be trusted before that is mended")
        }
        let outlivesItsContent = judgement.state == .signed || judgement.state == .rootOnly
        let identifier = judgement.signature?.claims?.application ?? judgement.groups.first
        let identity: Identity =
            if outlivesItsContent, let identifier { .identifier(identifier) } else { .digest(judgement.digest) }
        self.init(identity, judgement.isShared ? .shared : .file, at: path)
    }
}
