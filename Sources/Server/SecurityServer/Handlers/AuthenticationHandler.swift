import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Carries out authentication requests that concern no item (`LAContext`).
///
/// The key custodian remembers what a person proved, under the context of the connection. It counts for that
/// connection.
enum AuthenticationHandler {
    static let routes: [RequestRoute] = [
        .init(begin),
        .init(report),
        .init(descriptors: setPassword),
        .init(evaluatePolicy) { AuthenticationOutcome($0) },
        .init(evaluateAccessControl) { AuthenticationOutcome($0) },
    ]

    static func begin(
        _ request: BeginAuthentication, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        context.access.beginContext()
        guard request.reuse > 0 || context.access.allowsReuse else { return NoReply() }
        let opened = try context.opened
        let (noting, reference) = context.access.context(of: try context.caller, in: opened)
        let (enclave, seconds) = (context.services.enclave, request.reuse)
        try noting.noting { () throws(KeychainError) in
            try enclave.allowReuse(reference, seconds: seconds, in: opened.store.identifier)
        }
        context.access.noteReuse(seconds > 0)
        return NoReply()
    }

    static func report(
        _: ReadAuthentication, _ context: inout RequestContext
    ) throws(KeychainError) -> AuthenticationReport {
        let (enclave, opened) = (context.services.enclave, try context.opened)
        let store = opened.store.identifier
        var report = AuthenticationReport()
        report.hasPasscode = try enclave.passcodeReport(for: .agent, in: store).hasPasscode
        let biometry = try enclave.biometryReport(in: store)
        (report.biometry, report.kind) = (biometry.availability, biometry.kind)
        report.domainState = biometry.enrolledSet.map { set in
            opened.requests.enrolment(set, of: context.knownCaller?.principal)
        }
        return report
    }

    static func setPassword(
        _ request: SetApplicationPassword, _ password: GivenPasscode, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let noting = context.access.beginContext()
        guard let principal = password.origin.program else {
            throw KeychainError(.missingEntitlement, "nobody knows which program gives the password")
        }
        let reference = ContextReference(number: noting.number, principal: principal)
        let enclave = context.services.enclave
        context.access.notePassword(isPresent: request.isPresent)
        try noting.noting { () throws(KeychainError) in
            try enclave.setCredential(reference, from: password.files.first, in: password.store)
        }
        return NoReply()
    }

    // MARK: Evaluation

    // An evaluation that asks nobody leaves nothing to remember. It may come on a connection that other calls share,
    // and these must not find a context there.

    static func evaluatePolicy(
        _ request: EvaluatePolicy, _ context: inout RequestContext
    ) throws(KeychainError) -> AuthenticationOutcome {
        if request.question.allowsInteraction { context.access.beginContext() }
        let (enclave, opened) = (context.services.enclave, try context.opened)
        let (noting, reference) = context.access.context(of: try context.caller, in: opened)
        let store = opened.store.identifier
        return try conclude(
            try enclave.evaluate(request.policy, reference, in: store), Presence(), request.question, &context
        ) { factors in
            proof(
                .policy(request.policy, reference), by: factors, enclave, in: store, noting: noting,
                isBiometricAlone: request.policy == .deviceOwnerAuthenticationWithBiometrics)
        }
    }

    static func evaluateAccessControl(
        _ request: EvaluateAccessControl, _ context: inout RequestContext
    ) throws(KeychainError) -> AuthenticationOutcome {
        guard let operation = request.use.operation(of: request.constraints) else { return .satisfied }
        if request.question.allowsInteraction { context.access.beginContext() }
        let (enclave, opened) = (context.services.enclave, try context.opened)
        let (noting, reference) = context.access.context(of: try context.caller, in: opened)
        let store = opened.store.identifier
        let question = AccessQuestion(KeyUse(reference, for: operation), request.constraints, groupDigest: nil)
        return try conclude(
            try enclave.evaluate(question, in: store), request.use, request.question, &context
        ) { factors in
            if let proof = proof(.items(question), by: factors, enclave, in: store, noting: noting) { return proof }
            guard factors.contains(.applicationPassword) else { return nil }
            return .password(
                isNew: request.use.makesItems,
                taking: ApplicationPasswordChecking(enclave, reference, in: store, noting: noting))
        }
    }

    /// How a person proves their presence; nil where the factors need something else.
    ///
    /// - Parameter isBiometricAlone: whether a passcode satisfies nothing, and is only needed to enable biometrics
    ///   again.
    private static func proof(
        _ question: ProofQuestion, by factors: Set<AccessFactor>, _ enclave: EnclaveConnection,
        in store: StoreIdentifier, noting context: AuthenticationContext, isBiometricAlone: Bool = false
    ) -> PersonProof? {
        let finger =
            factors.contains(.biometry) ? QuestionMatching(enclave, question, in: store, noting: context) : nil
        if factors.contains(.passcode), !isBiometricAlone {
            return .passcode(
                taking: QuestionChecking(enclave, question, in: store, noting: context), orFinger: finger)
        }
        return finger.map { .finger($0) }
    }

    /// The outcome of an evaluation, or the question that a person has to answer first.
    ///
    /// - Parameter proof: how a person may give one of these factors; nil where there is no way.
    private static func conclude(
        _ evaluation: AccessEvaluation, _ subject: any PersonSubject, _ question: AuthenticationQuestion,
        _ context: inout RequestContext, by proof: (Set<AccessFactor>) -> PersonProof?
    ) throws(KeychainError) -> AuthenticationOutcome {
        switch evaluation {
        case .satisfied: return .satisfied
        case .impossible(.noBiometry):
            let biometry = try context.services.enclave.biometryReport(in: context.opened.store.identifier)
            return biometry.availability == .notAvailable ? .noBiometry : .noneEnrolled
        case .impossible(let obstacle): return AuthenticationOutcome(obstacle)
        case .needs(let factors):
            guard let proof = proof(factors) else { return factors.contains(.passcode) ? .lockedOut : .noBiometry }
            guard question.allowsInteraction else { return .notInteractive }
            var asked = PersonQuestion(
                caller: try context.caller.identity, keychain: context.keychainSlot.name, subject: subject,
                proof: proof, reason: question.reason.text, cancelTitle: question.cancelTitle?.text)
            // An empty title removes the button. Without a title the button gets the default text.
            if case .finger = proof, question.fallbackTitle?.text.isEmpty != true {
                asked.fallbackTitle = question.fallbackTitle?.text ?? ""
            }
            try context.access.ask(asked)
            return .failed
        }
    }
}

extension AuthenticationOutcome {
    fileprivate init(_ obstacle: AccessObstacle) {
        self =
            switch obstacle {
            case .noPasscode: .noPasscode
            case .noBiometry: .noBiometry
            case .never, .enrolmentChanged, .noCompanion: .impossible
            }
    }

    /// The outcome of a person's answer; nil where the request finds it out by itself.
    init?(_ answer: PersonAnswer) {
        switch answer {
        case .allowed, .allowedOnce, .allowedEverywhere, .again: return nil
        case .denied, .wrong: self = .failed
        // The program is held back after earlier answers.
        case .impossible(let error) where error.cause == .notEntitled: self = .failed
        case .cancelled: self = .cancelledByPerson
        case .fallback: self = .fallback
        case .timedOut, .locked: self = .cancelledBySystem
        case .impossible: self = .notInteractive
        }
    }
}
