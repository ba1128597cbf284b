import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import TrustProtocol

/// Carries out the user's decisions about teams, and reports the identities of programs.
enum TeamHandler {
    static let routes: [RequestRoute] = [.init(passcode: carryOut), .init(show), .init(trusted), .init(entitlements)]

    static func carryOut(
        _ command: TeamCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [TeamDescription] {
        let services = context.services
        let (opened, signatures) = (try services.identified(), services.identities.signatures)
        let (decision, team): (ApplicationLedger.Decision, TeamIdentifier)
        var removed: [TeamDescription] = []
        switch command {
        case .list: return signatures.teams(opened.ledger).map(TeamDescription.init)
        case .add(let certificate, let expected):
            let record = try signatures.team(of: certificate, expecting: expected)
            (decision, team) = (.addTeam(record), record.owner.team)
        case .remove(let named):
            removed = described(named, by: signatures, opened.ledger)
            (decision, team) = (.removeTeam(named), named)
        }
        if let passcode {
            guard opened.ledger.needsEndorsement else {
                throw KeychainError(.param, "there is no passcode; decisions about teams need none")
            }
            try services.identities.carryOut(decision, passcode)
        } else {
            try opened.ledger.carryOut(decision)
        }
        services.log.notice(
            removed.isEmpty ? "the anchor of a team was added" : "the anchor of a team was removed", ["team": team.text]
        )
        return removed.isEmpty ? described(team, by: signatures, opened.ledger) : removed
    }

    /// The person's own anchor of a team.
    private static func described(
        _ team: TeamIdentifier, by signatures: SignatureValidator, _ ledger: ApplicationLedger
    ) -> [TeamDescription] {
        signatures.teams(ledger).filter { $0.team == team && $0.origin == .person }.map(TeamDescription.init)
    }

    static func show(
        _ request: ShowApplication, _ context: inout RequestContext
    ) throws(KeychainError) -> ApplicationDescription {
        let identities = try context.services.identified()
        let judgement = try identities.resolver.judgement(of: request.path)
        var description = ApplicationDescription(judgement)
        description.adoption = identities.ledger.adoptions().first { $0.path == judgement.path }
            .map { .init(group: $0.group.name, date: $0.date) }
        description.change = identities.ledger.changes().last { $0.path == judgement.path }
            .map { .init(former: $0.former.value, digest: $0.digest.value, date: $0.date) }
        return description
    }

    static func trusted(
        _ request: ReadTrustedApplication, _ context: inout RequestContext
    ) throws(KeychainError) -> TrustedApplication {
        let resolver = try context.services.identified().resolver
        guard let path = request.path else {
            let identity = try context.caller.identity
            if let listed = ACLCaller(identity, tools: resolver.sharedPaths).listed { return listed }
            // A program in development is not hashed for its calls. A program with a bad signature hears the reason.
            return try TrustedApplication(
                try resolver.judgement(of: identity.executablePath.text), tools: resolver.sharedPaths)
        }
        return try TrustedApplication(
            try resolver.judgement(of: path) { .system($0.code) }, tools: resolver.sharedPaths)
    }

    static func entitlements(
        _: ReadEntitlements, _ context: inout RequestContext
    ) throws(KeychainError) -> OwnEntitlements {
        guard let signature = try context.caller.identity.signature else { return OwnEntitlements() }
        guard let claims = signature.claims else {
            throw KeychainError(.missingEntitlement, signature.complaint ?? "the signature does not count")
        }
        return OwnEntitlements(identifier: claims.identifier, entitlements: claims.entitlements)
    }
}

extension TeamDescription {
    fileprivate init(_ team: SignatureValidator.Team) {
        self.init(team: team.team, origin: team.origin)
        anchorKey = team.owner?.anchorKey
        subject = team.subject
        (validFrom, validUntil) = (team.validFrom, team.validUntil)
        requiresProfiles = team.requiresProfiles
        problem = team.problem
    }
}

extension ApplicationDescription {
    fileprivate init(_ judgement: ProgramJudgement) {
        self.init(path: judgement.path.text, state: judgement.state, digest: judgement.digest.value)
        isShared = judgement.isShared
        let claims = judgement.signature?.claims
        groups = judgement.groups.map { Group($0.name, from: Group.Source(of: $0.name, claims)) }
        signature = judgement.signature.map(Signature.init)
        if let ignored = judgement.ignoredSignature {
            signature = Signature(path: ignored)
            signature?.defect = .sharedProgram
        }
    }
}

extension ApplicationDescription.Signature {
    fileprivate init(_ signature: ProgramSignature) {
        self.init(path: signature.path)
        switch signature.outcome {
        case .claims(let claims, let origin):
            (team, anchorKey, identifier) = (claims.owner.team, claims.owner.anchorKey, claims.identifier)
            self.origin = origin
            validUntil = claims.validUntil
        case .defect(let defect, let detail): (self.defect, self.detail) = (defect, detail)
        }
    }
}

extension ApplicationDescription.Group.Source {
    /// The source of a group name; where several claims have the name, the first one counts.
    fileprivate init(of name: String, _ claims: SignedClaims?) {
        guard let claims else {
            self = .place
            return
        }
        if claims.keychainGroups.contains(name) {
            self = .keychainGroups
        } else {
            self = claims.identifier == name ? .identifier : .applicationGroups
        }
    }
}
