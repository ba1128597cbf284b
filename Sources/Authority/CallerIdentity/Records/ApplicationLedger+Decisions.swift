import ChatelaineModel

/// What the person decides about programs. Once there is a passcode, a decision counts only with an ``Endorsement``, which the key custodian
/// gives for the passcode: a program that writes every file of the user's has none.
///
/// A decision is prepared, endorsed where that is needed, and carried out. Nothing waits meanwhile, so the records may be others by then; it is then
/// refused.
extension ApplicationLedger {
    package enum Decision: Sendable, Hashable {
        /// Takes the program with this digest for the one recorded at this path.
        case accept(CanonicalPath, ExecutableDigest)
        /// The same as a person was asked about it: only where what is recorded is what was shown.
        case acceptChange(ProgramChange)
        /// Declares a folder or program as in development.
        case develop(CanonicalPath, isFolder: Bool)
        /// Undoes a decision about exactly this path: the declaration if there is one, else the pin. One at a time, so that taking back a
        /// declaration does not take the pin with it. Without its pin, whatever program stands at the path next is taken for the application.
        case forget(CanonicalPath)
        /// Believes a team's anchor.
        case addTeam(TeamRecord)
        /// Believes it no longer.
        case removeTeam(TeamIdentifier)
        /// Has the file with this digest be the person's settings of trust; nil has none be.
        case setTrust(Bytes32?)
        /// Confirms all that counts now.
        case confirmAll
    }

    /// A decision that can be endorsed.
    package struct Draft: Sendable {
        let decision: Decision
        /// When it was made; seconds since 1970.
        let date: Int64
        /// What is to be endorsed: SHA-256 of the records that widen access then.
        package let digest: [UInt8]
        /// Whether there are any.
        package let widensAccess: Bool
    }

    /// What came of a decision.
    private struct Outcome {
        /// The record that was changed, or taken away.
        var record: ApplicationRecord?
        var isChange = true
    }

    /// A declaration of what `path` leads to.
    ///
    /// - Throws: `errSecParam` when it may not be declared (`/`, a home folder or what holds one, something that
    ///   everybody can write, a relative path).
    package func declaration(of path: String) throws(KeychainError) -> Decision {
        let (canonical, isFolder) = try rule.check(path)
        return .develop(canonical, isFolder: isFolder)
    }

    /// Taking back what is recorded of a path; `errSecItemNotFound` for what is no path.
    package func withdrawal(of path: String) throws(KeychainError) -> Decision {
        guard let canonical = CanonicalPath(path) else { throw Self.nothing(PrintablePath.shown(path)) }
        return .forget(canonical)
    }

    /// Looks at what a decision comes to.
    ///
    /// - Parameter isToBeEndorsed: whether there is a passcode.
    /// - Throws: `errSecItemNotFound` where nothing is recorded that it could be about.
    package func prepare(_ decision: Decision, isToBeEndorsed: Bool) throws(KeychainError) -> Draft {
        try writeAgainIfNeeded()
        let date = seconds
        var state = state.withLock { $0 }
        _ = try Self.apply(decision, at: date, isEndorsed: isToBeEndorsed, to: &state)
        return Draft(
            decision: decision, date: date, digest: Self.endorsedDigest(of: state), widensAccess: state.widensAccess)
    }

    /// Carries a decision out, and answers the record that it was about.
    ///
    /// - Parameter endorsement: of the draft's digest; nil where there is no passcode.
    /// - Throws: `errSecItemNotFound` when nothing is recorded; `errSecAuthFailed` where an endorsement is needed; `errSecNotAvailable` where other
    ///   records were changed since it was prepared, and as ``pin(_:digest:)``.
    @discardableResult
    package func carryOut(_ draft: Draft, _ endorsement: Endorsement?) throws(KeychainError) -> ApplicationRecord? {
        var outcome = Outcome()
        try change { (state) throws(KeychainError) in
            guard endorsement != nil || !state.needsEndorsement else { throw Self.unendorsed }
            outcome = try Self.apply(draft.decision, at: draft.date, isEndorsed: endorsement != nil, to: &state)
            guard let endorsement else { return outcome.isChange }
            guard Self.endorsedDigest(of: state) == draft.digest else {
                throw KeychainError(.notAvailable, "the list of applications was changed meanwhile; try again")
            }
            state.endorsement = endorsement
            (state.needsEndorsement, state.isEndorsed) = (true, true)
            state.hasSignedTrust = state.trust != nil
            return true
        }
        return outcome.record
    }

    /// Carries a decision out where no passcode is needed.
    @discardableResult
    package func carryOut(_ decision: Decision) throws(KeychainError) -> ApplicationRecord? {
        try carryOut(try prepare(decision, isToBeEndorsed: false), nil)
    }

    private static func apply(
        _ decision: Decision, at date: Int64, isEndorsed: Bool, to state: inout State
    ) throws(KeychainError) -> Outcome {
        let recorded: ApplicationRecord? =
            if case .acceptChange(let change) = decision { state.pins[change.path] } else { nil }
        // What nobody has confirmed is not confirmed along with something else.
        if isEndorsed {
            let former = state
            for table in [\State.pins, \.development] {
                state[keyPath: table] = former[keyPath: table].mapValues { record in
                    var record = record
                    record.isConfirmed = former.counts(record)
                    return record
                }
            }
            state.teams = former.teams.mapValues { record in
                var record = record
                record.isConfirmed = former.counts(isConfirmed: record.isConfirmed)
                return record
            }
            if let trust = former.trust {
                state.trust?.isConfirmed = former.counts(isConfirmed: trust.isConfirmed)
            } else if former.trustStanding == .unknown {
                // Nor is it said along with something else that there were none.
                state.trust = .lost
            }
        }
        switch decision {
        case .accept(let path, let digest):
            guard let pin = state.pins[path] else {
                throw KeychainError(.itemNotFound, "no program is recorded for \(path): there is nothing to accept")
            }
            guard pin.kind != .pinned(digest) || pin.widensAccess && !pin.isConfirmed else {
                return Outcome(record: pin, isChange: false)
            }
            let record = ApplicationRecord(path: path, kind: .pinned(digest), since: pin.since, accepted: date)
            state.note(digest, inPlaceOf: pin, at: date)
            state.pins[path] = record
            return Outcome(record: record)
        case .acceptChange(let change):
            guard recorded == change.record else {
                throw KeychainError(.notAvailable, "another program was recorded for \(change.path) meanwhile")
            }
            return try apply(.accept(change.path, change.digest), at: date, isEndorsed: false, to: &state)
        case .develop(let path, let isFolder):
            let kind: ApplicationRecord.Kind = isFolder ? .developmentFolder : .developmentProgram
            if let present = state.development[path], present.kind == kind, present.isConfirmed {
                return Outcome(record: present, isChange: false)
            }
            let record = ApplicationRecord(path: path, kind: kind, since: date, accepted: nil)
            state.development[path] = record
            return Outcome(record: record)
        case .forget(let path):
            guard let record = state.development.removeValue(forKey: path) ?? state.pins.removeValue(forKey: path)
            else { throw nothing("\(path)") }
            return Outcome(record: record)
        case .addTeam(let record): return Outcome(isChange: try add(record, at: date, to: &state))
        case .removeTeam(let team):
            guard state.teams.removeValue(forKey: team) != nil else {
                throw KeychainError(.itemNotFound, "no anchor of team \(team) was added")
            }
            return Outcome()
        case .setTrust(let digest):
            let record = digest.map { TrustSettingsRecord(digest: $0) }
            defer { state.trust = record }
            return Outcome(isChange: state.trust != record)
        case .confirmAll: return Outcome(isChange: false)
        }
    }

    /// A team has one anchor. What all its programs own is kept under that anchor's key, so a renewed certificate of the same key may take
    /// its place, and no other key.
    private static func add(
        _ record: TeamRecord, at date: Int64, to state: inout State
    ) throws(KeychainError) -> Bool {
        let team = record.owner.team
        if let present = state.teams[team], present.isConfirmed {
            guard present.owner == record.owner else {
                throw KeychainError(
                    .duplicateItem,
                    "team \(team) has another anchor already, to whose key all belongs that its programs stored: remove "
                        + "that with `security app team remove \(team)` first")
            }
            if present.certificate == record.certificate { return false }
        }
        guard state.teams[team] != nil || state.teams.count < SignatureLimits.maximumTeams else {
            throw KeychainError(.notAvailable, "there are \(SignatureLimits.maximumTeams) teams already: remove some")
        }
        var record = record
        (record.since, record.isConfirmed) = (date, true)
        state.teams[team] = record
        return true
    }

    private static func nothing(_ path: String) -> KeychainError {
        KeychainError(.itemNotFound, "nothing is recorded for \(path)")
    }

    /// What a program is told that decides about programs without the passcode.
    package static var unendorsed: KeychainError {
        KeychainError(
            .authFailed,
            "there is a passcode, and what widens the access of programs needs it: use the command “security app”, which asks for it"
        )
    }
}
