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
        /// Declares a folder or program as in development.
        case develop(CanonicalPath, isFolder: Bool)
        /// Undoes a decision about exactly this path: the declaration if there is one, else the pin. One at a time, so that taking back a
        /// declaration does not take the pin with it. Without its pin, whatever program stands at the path next is taken for the application.
        case forget(CanonicalPath)
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
        let date = seconds
        var state = state.withLock { $0 }
        _ = try Self.apply(decision, at: date, isEndorsed: isToBeEndorsed, to: &state)
        let records = state.records
        return Draft(
            decision: decision, date: date, digest: Self.endorsedDigest(of: records),
            widensAccess: records.contains { $0.widensAccess && $0.isConfirmed })
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
            guard Self.endorsedDigest(of: state.records) == draft.digest else {
                throw KeychainError(.notAvailable, "the list of applications was changed meanwhile; try again")
            }
            state.endorsement = endorsement
            (state.needsEndorsement, state.isEndorsed) = (true, true)
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
            state.pins[path] = record
            return Outcome(record: record)
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
        case .confirmAll: return Outcome(isChange: false)
        }
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
