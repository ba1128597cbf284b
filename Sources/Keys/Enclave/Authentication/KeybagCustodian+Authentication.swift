import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Authentication contexts of a store: what they know, and how they come to know it.
extension KeybagCustodian {
    func evaluation(of question: AccessQuestion) -> AccessEvaluation {
        question.constraints.evaluation(of: question.use.operation, by: facts(for: question))
    }

    func evaluation(of policy: AuthenticationPolicy, in context: ContextReference) -> AccessEvaluation {
        let (enrolledSet, now) = (settings.biometry.enrolledSet, settings.clock.now())
        let facts = withState { state in
            state.contexts.facts(
                for: policy, in: context, hasPasscode: state.device.hasPasscode, enrolledSet: enrolledSet, now: now)
        }
        return policy.constraint.evaluation(by: facts)
    }

    private func facts(for question: AccessQuestion) -> AccessFacts {
        let (enrolledSet, now) = (settings.biometry.enrolledSet, settings.clock.now())
        return withState { state in
            state.contexts.facts(
                for: question, hasPasscode: state.device.hasPasscode, enrolledSet: enrolledSet, now: now)
        }
    }

    /// Looks at a passcode, and notes in a context what it was typed for. It opens nothing by itself.
    ///
    /// - Parameter lockings: how often the store had been locked when the passcode was asked for.
    func prove(
        _ passcode: SecretBytes, for scope: AuthenticationContexts.Scope, in context: ContextReference,
        from origin: PasscodeOrigin, lockings: UInt64
    ) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { _ throws(KeychainError) in
            let now = settings.clock.now()
            let noted: Result<Void, KeychainError> = withState { state in
                Result { () throws(KeychainError) in
                    guard state.lockings == lockings else {
                        throw KeychainError(
                            .interactionNotAllowed, "it was locked while the passcode was looked at; try again")
                    }
                    try state.contexts.note(.passcode, for: scope, in: context, now: now)
                }
            }
            try noted.get()
        }
    }

    /// Constraints of a row that is to be stored, bound to what is enrolled now.
    ///
    /// - Throws: `errSecAuthFailed` where they ask for what there is not, or allow nobody to encrypt; the cause `needsPerson`.
    func bind(
        _ constraints: AccessConstraints, of row: RowContext, for use: KeyUse?
    ) throws(KeychainError) -> AccessConstraints {
        let enrolledSet = settings.biometry.enrolledSet
        let bound = constraints.bound(to: enrolledSet)
        try bound.checkSatisfiable(by: AccessFacts(hasPasscode: device.hasPasscode, enrolledSet: enrolledSet))
        try check(bound, of: row, for: use, .encrypt)
        return bound
    }

    /// Throws unless constraints are satisfied for an operation by what the context of `use` knows.
    func check(
        _ constraints: AccessConstraints, of row: RowContext, for use: KeyUse?, _ operation: AccessConstraints.Operation
    ) throws(KeychainError) {
        guard let use else {
            // Nobody who could be known.
            let facts = AccessFacts(hasPasscode: device.hasPasscode, enrolledSet: settings.biometry.enrolledSet)
            return try constraints.evaluation(of: operation, by: facts).check()
        }
        // What is done is what the request does: nobody decrypts by saying that it deletes.
        guard use.operation == operation else {
            throw KeychainError(.param, "the operation that is named is not the one that is asked for")
        }
        try evaluation(of: AccessQuestion(use, constraints, groupDigest: row.groupDigest)).check()
    }
}
