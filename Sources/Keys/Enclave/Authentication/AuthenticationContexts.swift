import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// The authentications and passwords that the custodian remembers, for the connections and requests of one store.
///
/// **Rules.** A proof of presence counts for the principal, the operation, the constraints and the access group for
/// which it was given, and for ``lifetime``. Nothing of it is on disk. Everything is removed when the store is locked
/// or closed. Proofs are also removed when the passcode changes, and the rest when its connection or request ends.
struct AuthenticationContexts: Sendable {
    /// More than securityd has connections and waiting requests; beyond it, some context was never ended.
    static let maximumCount = 512
    /// The number of questions to which one request may lead; the oldest proof is dropped to make room.
    static let maximumProofs = 16
    /// In milliseconds. Apple allows a match to be reused for as long
    /// (`LATouchIDAuthenticationMaximumAllowableReuseDuration`).
    static let lifetime: UInt64 = 5 * 60 * 1000

    /// The subject of a proof of presence.
    enum Scope: Hashable, Sendable {
        /// A question about items of one group, or of every group of the principal.
        case question(AccessConstraints.Operation, AccessConstraints, groupDigest: Bytes16?)
        case policy(AuthenticationPolicy)
        /// All items of the principal, whatever their constraints.
        case everyItem

        /// Makes the scope of a question without its bound enrolment, which is compared when the constraints are
        /// evaluated.
        init(_ question: AccessQuestion, ofEveryGroup: Bool = false) {
            self = .question(
                question.use.operation, question.constraints.unbound,
                groupDigest: ofEveryGroup ? nil : question.groupDigest)
        }
    }

    /// The kind of a proof of presence.
    enum Evidence: Hashable, Sendable {
        case passcode
        /// A biometric of the set that was enrolled then.
        case match(Bytes16)
    }

    fileprivate struct Proof: Sendable {
        let scope: Scope
        let evidence: Evidence
        /// The time of the proof on the ``BootClock``.
        let time: UInt64
    }

    private struct Context: Sendable {
        var proofs: [Proof] = []
        var password: ApplicationPassword?
        /// The milliseconds for which a match in another context of the same principal counts here.
        var reuse: UInt64 = 0
    }

    private struct Match: Sendable {
        let set: Bytes16
        let time: UInt64
    }

    private var contexts: [ContextReference: Context] = [:]
    /// The last match of each principal.
    private var matches: [Bytes16: Match] = [:]

    var count: Int { contexts.count }

    /// The facts that concern a question.
    func facts(for question: AccessQuestion, hasPasscode: Bool, now: UInt64) -> AccessFacts {
        var facts = AccessFacts(hasPasscode: hasPasscode)
        guard let context = contexts[question.use.context] else { return facts }
        facts.hasApplicationPassword = context.password != nil
        facts.note(context.proofs, for: [Scope(question), Scope(question, ofEveryGroup: true)], now: now)
        noteReuse(in: context, of: question.use.context.principal, now: now, &facts)
        return facts
    }

    /// The facts that concern a policy.
    func facts(
        for policy: AuthenticationPolicy, in reference: ContextReference, hasPasscode: Bool, now: UInt64
    ) -> AccessFacts {
        var facts = AccessFacts(hasPasscode: hasPasscode)
        guard let context = contexts[reference] else { return facts }
        facts.note(context.proofs, for: [.policy(policy)], now: now)
        noteReuse(in: context, of: reference.principal, now: now, &facts)
        return facts
    }

    private func noteReuse(in context: Context, of principal: Bytes16, now: UInt64, _ facts: inout AccessFacts) {
        guard context.reuse > 0, let match = matches[principal], match.time <= now, now - match.time < context.reuse
        else { return }
        (facts.sawOwner, facts.matchedSet) = (true, match.set)
    }

    /// Lets a match in another context of the same principal count in this one.
    ///
    /// - Parameter seconds: the duration, ``lifetime`` at the most; 0 disallows it.
    mutating func allowReuse(seconds: UInt32, in reference: ContextReference) throws(KeychainError) {
        guard seconds > 0 || contexts[reference] != nil else { return }
        try change(reference) { $0.reuse = min(UInt64(seconds) * 1000, Self.lifetime) }
    }

    /// Records a proof of presence; `errSecNotAvailable` if there are ``maximumCount`` contexts.
    mutating func note(
        _ evidence: Evidence, for scope: Scope, in reference: ContextReference, now: UInt64
    ) throws(KeychainError) {
        try change(reference) { context in
            context.proofs.removeAll { $0.scope == scope && $0.evidence == evidence }
            if context.proofs.count >= Self.maximumProofs { context.proofs.removeFirst() }
            context.proofs.append(Proof(scope: scope, evidence: evidence, time: now))
        }
        if case .match(let set) = evidence {
            // Matches that no longer count are removed to make room.
            matches = matches.filter { now - min($0.value.time, now) < Self.lifetime }
            matches[reference.principal] = Match(set: set, time: now)
        }
    }

    /// The application password of a context.
    func password(of reference: ContextReference) -> ApplicationPassword? { contexts[reference]?.password }

    /// Sets or removes the application password of a context.
    mutating func setPassword(
        _ password: ApplicationPassword?, of reference: ContextReference
    ) throws(KeychainError) {
        guard password != nil || contexts[reference] != nil else { return }
        try change(reference) { $0.password = password }
    }

    /// Records that a password has opened or sealed a row.
    mutating func noteUse(of password: ApplicationPassword, in reference: ContextReference) {
        guard has(password, reference) else { return }
        contexts[reference]?.password?.isUnproven = false
    }

    /// Records that a password opened no row.
    ///
    /// One that a person typed and that never opened any is forgotten, so that the person is asked again. One that the
    /// program gave stays, since only the program can replace it.
    mutating func noteFailure(of password: ApplicationPassword, in reference: ContextReference) {
        guard has(password, reference), contexts[reference]?.password?.isUnproven == true else { return }
        contexts[reference]?.password = nil
    }

    /// Whether the context still has this password.
    private func has(_ password: ApplicationPassword, _ reference: ContextReference) -> Bool {
        contexts[reference]?.password?.bytes === password.bytes
    }

    /// Keeps a key derived from a password while the context has that password.
    mutating func keep(_ key: StretchedPassword, of password: ApplicationPassword, in reference: ContextReference) {
        guard has(password, reference) else { return }
        contexts[reference]?.password?.keep(key)
    }

    mutating func end(_ number: UInt64) { contexts = contexts.filter { $0.key.number != number } }

    mutating func removeAll() { (contexts, matches) = ([:], [:]) }

    /// Forgets all proofs of presence, because the passcode changed.
    mutating func forgetProofs() {
        for reference in contexts.keys { contexts[reference]?.proofs = [] }
        matches = [:]
    }

    private mutating func change(
        _ reference: ContextReference, _ body: (inout Context) -> Void
    ) throws(KeychainError) {
        guard contexts[reference] != nil || contexts.count < Self.maximumCount else {
            throw KeychainError(
                .notAvailable, "\(Self.maximumCount) authentication contexts are in use; try again later")
        }
        body(&contexts[reference, default: Context()])
    }
}

extension AccessFacts {
    /// Adds the proofs for any of these scopes, and those that cover all items.
    fileprivate mutating func note(
        _ proofs: [AuthenticationContexts.Proof], for scopes: [AuthenticationContexts.Scope], now: UInt64
    ) {
        // A time in the future cannot be genuine.
        for proof in proofs where proof.time <= now && now - proof.time < AuthenticationContexts.lifetime {
            switch (proof.scope, proof.evidence) {
            case (.policy, .passcode): sawOwner = true
            case (.policy, .match(let set)): (sawOwner, matchedSet) = (true, set)
            case (.everyItem, .passcode): (sawOwner, sawPasscode) = (true, true)
            default: break
            }
            guard scopes.contains(proof.scope) else { continue }
            switch proof.evidence {
            case .passcode: sawPasscode = true
            case .match(let set): matchedSet = set
            }
        }
    }
}
