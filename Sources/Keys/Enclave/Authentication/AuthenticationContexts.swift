import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// What the custodian remembers of persons and passwords, for the connections and requests of one store.
///
/// **Rules.** What a person has shown counts for the principal, the operation, the constraints and the access group that it was shown for,
/// and for ``lifetime``. Nothing of it is on disk. All of it goes when the store is locked or closed, what a person has
/// shown also when the passcode changes, and the rest when its connection or request ends.
struct AuthenticationContexts: Sendable {
    /// More than securityd has connections and waiting requests: a further one was never ended.
    static let maximumCount = 512
    /// As many questions as one request may lead to; the oldest makes room.
    static let maximumProofs = 16
    /// Milliseconds. As long as Apple lets a match be used again (`LATouchIDAuthenticationMaximumAllowableReuseDuration`).
    static let lifetime: UInt64 = 5 * 60 * 1000

    /// What a person has shown their presence for.
    enum Scope: Hashable, Sendable {
        case question(AccessConstraints.Operation, AccessConstraints, groupDigest: Bytes16)
        case policy(AuthenticationPolicy)

        init(_ question: AccessQuestion) {
            self = .question(question.use.operation, question.constraints, groupDigest: question.groupDigest)
        }
    }

    /// What they have shown it by.
    enum Evidence: Hashable, Sendable {
        case passcode
        /// A biometric, one of the set that was enrolled then.
        case match(Bytes16)
    }

    private struct Proof: Sendable {
        let scope: Scope
        let evidence: Evidence
        /// On the ``BootClock``.
        let time: UInt64
    }

    private struct Context: Sendable {
        var proofs: [Proof] = []
        var password: ApplicationPassword?
    }

    private var contexts: [ContextReference: Context] = [:]

    var count: Int { contexts.count }

    /// What is known that concerns a question.
    func facts(for question: AccessQuestion, hasPasscode: Bool, now: UInt64) -> AccessFacts {
        var facts = AccessFacts(hasPasscode: hasPasscode)
        guard let context = contexts[question.use.context] else { return facts }
        facts.hasApplicationPassword = context.password != nil
        let scope = Scope(question)
        // A time to come was written by nobody of ours.
        for proof in context.proofs where proof.time <= now && now - proof.time < Self.lifetime {
            switch (proof.scope, proof.evidence) {
            case (.policy, .passcode): facts.sawOwner = true
            case (.policy, .match(let set)): (facts.sawOwner, facts.matchedSet) = (true, set)
            case (scope, .passcode): facts.sawPasscode = true
            case (scope, .match(let set)): facts.matchedSet = set
            default: break
            }
        }
        return facts
    }

    /// Notes what a person has shown. `errSecNotAvailable` where there are as many contexts as there may be.
    mutating func note(
        _ evidence: Evidence, for scope: Scope, in reference: ContextReference, now: UInt64
    ) throws(KeychainError) {
        try change(reference) { context in
            context.proofs.removeAll { $0.scope == scope && $0.evidence == evidence }
            if context.proofs.count >= Self.maximumProofs { context.proofs.removeFirst() }
            context.proofs.append(Proof(scope: scope, evidence: evidence, time: now))
        }
    }

    /// The password of the program's that a context has.
    func password(of reference: ContextReference) -> ApplicationPassword? { contexts[reference]?.password }

    /// Gives a context another password, or none.
    mutating func setPassword(_ password: SecretBytes?, of reference: ContextReference) throws(KeychainError) {
        guard password != nil || contexts[reference] != nil else { return }
        try change(reference) { $0.password = password.map { ApplicationPassword($0) } }
    }

    /// Keeps what was derived from a password, as long as the context has that.
    mutating func keep(_ key: StretchedPassword, of password: ApplicationPassword, in reference: ContextReference) {
        guard contexts[reference]?.password?.bytes === password.bytes else { return }
        contexts[reference]?.password?.keep(key)
    }

    mutating func end(_ number: UInt64) { contexts = contexts.filter { $0.key.number != number } }

    mutating func removeAll() { contexts = [:] }

    /// Forgets what persons have shown, by a passcode that is another one by now.
    mutating func forgetProofs() {
        for reference in contexts.keys { contexts[reference]?.proofs = [] }
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
