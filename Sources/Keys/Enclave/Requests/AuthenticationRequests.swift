import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about authentication contexts, which satisfy constraints of rows.
enum AuthenticationRequests {
    static let routes: [EnclaveRoute] = [
        .init(evaluateQuestion),
        .init(passcode: proveQuestion),
        .init(waiting: matchQuestion),
        .init(evaluatePolicy),
        .init(passcode: provePolicy),
        .init(passcode: provePasscode),
        .init(waiting: matchPolicy),
        .init(biometry),
        .init(secrets: setCredential),
        .init(allowReuse),
        .init(endContext),
    ]

    static func evaluateQuestion(
        _ request: EvaluateQuestion, _ enclave: Enclave
    ) throws(KeychainError) -> AccessEvaluation {
        try enclave.keybag(of: request.store).evaluation(of: request.question)
    }

    static func proveQuestion(_ request: ProveQuestion, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        let question = request.question
        return try prove(.init(question), in: question.use.context, turn)
    }

    static func matchQuestion(
        _ request: MatchQuestion, _ enclave: Enclave, while isAwaited: () -> Bool
    ) throws(KeychainError) -> MatchReport {
        let question = request.question
        return try enclave.match(
            for: .init(question), in: question.use.context, try enclave.keybag(of: request.store), while: isAwaited)
    }

    static func evaluatePolicy(
        _ request: EvaluateContextPolicy, _ enclave: Enclave
    ) throws(KeychainError) -> AccessEvaluation {
        try enclave.keybag(of: request.store).evaluation(of: request.policy, in: request.context)
    }

    static func provePolicy(_ request: ProvePolicy, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        guard request.policy == .deviceOwnerAuthentication else {
            throw KeychainError(.param, "the policy asks for a biometric, which no passcode stands for")
        }
        return try prove(.policy(request.policy), in: request.context, turn)
    }

    static func provePasscode(_ request: ProvePasscode, _ turn: PasscodeTurn) throws(KeychainError) -> PasscodeReport {
        try prove(.everyItem, in: request.context, turn)
    }

    static func matchPolicy(
        _ request: MatchPolicy, _ enclave: Enclave, while isAwaited: () -> Bool
    ) throws(KeychainError) -> MatchReport {
        try enclave.match(
            for: .policy(request.policy), in: request.context, try enclave.keybag(of: request.store), while: isAwaited)
    }

    static func biometry(_ request: ReadBiometry, _ enclave: Enclave) throws(KeychainError) -> BiometryReport {
        enclave.biometryReport(of: try enclave.keybag(of: request.store))
    }

    static func setCredential(
        _ request: SetCredential, _ enclave: Enclave, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> Done {
        try enclave.setCredential(
            passwords, isTyped: request.isTyped, of: request.context, in: try enclave.keybag(of: request.store))
        return Done()
    }

    static func allowReuse(_ request: AllowReuse, _ enclave: Enclave) throws(KeychainError) -> Done {
        try enclave.keybag(of: request.store).allowReuse(seconds: request.seconds, in: request.context)
        return Done()
    }

    static func endContext(_ request: EndContext, _ enclave: Enclave) throws(KeychainError) -> Done {
        enclave.endContext(request.number)
        return Done()
    }

    private static func prove(
        _ scope: AuthenticationContexts.Scope, in context: ContextReference, _ turn: PasscodeTurn
    ) throws(KeychainError) -> PasscodeReport {
        turn.report(
            try turn.keybag.prove(
                turn.passcodes[0], for: scope, in: context, from: turn.origin, lockings: turn.lockings))
    }
}
