import ChatelaineModel

/// Decisions of the person about programs.
///
/// Once there is a passcode, a decision counts only with an ``Endorsement``. The key custodian gives it for the
/// passcode, so a program that can write every file of the user has none.
///
/// A decision is prepared, endorsed where that is needed, and carried out. No lock is held meanwhile, so the records
/// may change. The decision is then refused.
extension ApplicationLedger {
    package enum Decision: Sendable, Hashable {
        /// Records the program with this digest as the one at this path.
        case accept(CanonicalPath, ExecutableDigest)
        /// Records a changed program after a person was asked; it fails if the record is no longer the one that was
        /// shown.
        case acceptChange(ProgramChange)
        /// Declares a folder or program as in development.
        case develop(CanonicalPath, isFolder: Bool)
        /// Removes the record of exactly this path: the declaration if there is one, else the pin.
        ///
        /// It removes one at a time, so that withdrawing a declaration keeps the pin. Without a pin, the next program
        /// at the path counts as the application.
        case forget(CanonicalPath)
        /// Trusts a team's anchor.
        case addTeam(TeamRecord)
        /// Removes a team's anchor.
        case removeTeam(TeamIdentifier)
        /// Makes the file with this digest the person's settings of trust; nil means that there are none.
        case setTrust(Bytes32?)
        /// Confirms all records that count now.
        case confirmAll
    }

    /// A decision that can be endorsed.
    package struct Draft: Sendable {
        let decision: Decision
        /// When the decision was made; seconds since 1970.
        let date: Int64
        /// The digest to endorse: SHA-256 of the records that widen access once the decision is carried out.
        package let digest: [UInt8]
        /// Whether any record widens access then.
        package let widensAccess: Bool
    }

    /// The result of a decision.
    private struct Outcome {
        /// The record that was changed or removed.
        var record: ApplicationRecord?
        var isChange = true
    }

    /// Makes the decision that declares the file or folder at `path` as in development.
    ///
    /// - Throws: `errSecParam` when it may not be declared (`/`, a home folder or what holds one, something that
    ///   everybody can write, a relative path).
    package func declaration(of path: String) throws(KeychainError) -> Decision {
        let (canonical, isFolder) = try rule.check(path)
        return .develop(canonical, isFolder: isFolder)
    }

    /// Makes the decision that removes the record of a path; `errSecItemNotFound` if the text is no canonical path.
    package func withdrawal(of path: String) throws(KeychainError) -> Decision {
        guard let canonical = CanonicalPath(path) else { throw Self.nothing(PrintablePath.shown(path)) }
        return .forget(canonical)
    }

    /// Computes what a decision would change, without changing anything.
    ///
    /// - Parameter isToBeEndorsed: whether there is a passcode.
    /// - Throws: `errSecItemNotFound` if the decision needs a record that does not exist.
    package func prepare(_ decision: Decision, isToBeEndorsed: Bool) throws(KeychainError) -> Draft {
        try writeAgainIfNeeded()
        let date = seconds
        var state = state.withLock { $0 }
        _ = try Self.apply(decision, at: date, isEndorsed: isToBeEndorsed, to: &state)
        return Draft(
            decision: decision, date: date, digest: Self.endorsedDigest(of: state), widensAccess: state.widensAccess)
    }

    /// Carries a decision out, and returns the record that it changed or removed.
    ///
    /// - Parameter endorsement: covers the draft's digest; nil if there is no passcode.
    /// - Throws: `errSecItemNotFound` when nothing is recorded. `errSecAuthFailed` when an endorsement is needed.
    ///   `errSecNotAvailable` when other records changed since the decision was prepared. Otherwise as
    ///   ``pin(_:digest:)``.
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
        // Records that nobody confirmed stay unconfirmed: the endorsement must not cover them.
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
                // Unknown settings of trust are recorded as lost: the endorsement must not state that there were none.
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

    /// Adds a team's anchor, or replaces it with a renewed certificate of the same key.
    ///
    /// A team has one anchor key, because everything that its programs own is stored under that key. Another key is
    /// refused.
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

    /// The error for a program that decides about programs without the passcode.
    package static var unendorsed: KeychainError {
        KeychainError(
            .authFailed,
            "there is a passcode, and what widens the access of programs needs it: use the command “security app”, which asks for it"
        )
    }
}
