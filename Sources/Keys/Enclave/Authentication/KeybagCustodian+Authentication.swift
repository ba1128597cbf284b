import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The authentication contexts of a store: their evaluation, and the recording of facts.
extension KeybagCustodian {
    func evaluation(of question: AccessQuestion) -> AccessEvaluation {
        question.constraints.evaluation(of: question.use.operation, by: facts(for: question), enrolledSet)
    }

    func evaluation(of policy: AuthenticationPolicy, in context: ContextReference) -> AccessEvaluation {
        let now = settings.clock.now()
        var facts = withState { state in
            var facts = state.contexts.facts(for: policy, in: context, hasPasscode: state.device.hasPasscode, now: now)
            facts.isLockedOut = state.matchTries.isLockedOut
            return facts
        }
        let evaluation = policy.constraint.evaluation(by: facts)
        guard evaluation != .satisfied, facts.hasPasscode else { return evaluation }
        facts.enrolledSet = enrolledSet()
        return policy.constraint.evaluation(by: facts)
    }

    /// The current enrolment. It is read only if a constraint needs it, because it takes a message to another process,
    /// or seconds.
    private func enrolledSet() -> Bytes16? { settings.biometry.enrolment().enrolledSet }

    /// The facts that are known without asking the reader.
    private func facts(for question: AccessQuestion) -> AccessFacts {
        let now = settings.clock.now()
        return withState { state in
            var facts = state.contexts.facts(for: question, hasPasscode: state.device.hasPasscode, now: now)
            facts.isLockedOut = state.matchTries.isLockedOut
            return facts
        }
    }

    /// Lets a match in another context of the same principal count in this one.
    func allowReuse(seconds: UInt32, in context: ContextReference) throws(KeychainError) {
        let set: Result<Void, KeychainError> = withState { state in
            Result { () throws(KeychainError) in try state.contexts.allowReuse(seconds: seconds, in: context) }
        }
        try set.get()
    }

    /// Records in a context that a biometric matched.
    ///
    /// - Parameter lockings: the number of times that the store had been locked when the match was requested.
    func noteMatch(
        of set: Bytes16, for scope: AuthenticationContexts.Scope, in context: ContextReference, lockings: UInt64
    ) throws(KeychainError) {
        let now = settings.clock.now()
        let noted: Result<Void, KeychainError> = withState { state in
            Result { () throws(KeychainError) in
                guard state.lockings == lockings, state.device.hasPasscode else {
                    throw KeychainError(
                        cause: .locked, "it was locked while a biometric was looked at; try again")
                }
                try state.contexts.note(.match(set), for: scope, in: context, now: now)
                state.matchTries.noteMatch()
            }
        }
        try noted.get()
    }

    /// Checks a passcode, and records in a context what it was entered for.
    ///
    /// It opens nothing by itself.
    ///
    /// - Parameter lockings: the number of times that the store had been locked when the passcode was requested.
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
                            cause: .locked, "it was locked while the passcode was looked at; try again")
                    }
                    try state.contexts.note(.passcode, for: scope, in: context, now: now)
                }
            }
            try noted.get()
        }
    }

    /// Binds the constraints of a row that is to be stored to the current enrolment.
    ///
    /// - Throws: `errSecAuthFailed` if they cannot be satisfied here, or allow nobody to encrypt; the cause
    ///   `needsPerson`.
    func bind(
        _ constraints: AccessConstraints, of row: RowContext, for use: KeyUse?
    ) throws(KeychainError) -> AccessConstraints {
        let bound = try bound(constraints)
        try check(bound, of: row, for: use, .encrypt)
        return bound
    }

    /// Binds the constraints of a private key.
    ///
    /// Making it needs no check, because nothing is encrypted.
    func bound(_ constraints: AccessConstraints) throws(KeychainError) -> AccessConstraints {
        let enrolledSet = constraints.needsEnrolment ? enrolledSet() : nil
        let bound = constraints.bound(to: enrolledSet)
        try bound.checkSatisfiable(by: AccessFacts(hasPasscode: device.hasPasscode, enrolledSet: enrolledSet))
        return bound
    }

    /// Throws unless the facts in the context of `use` satisfy the constraints for an operation.
    func check(
        _ constraints: AccessConstraints, of row: RowContext, for use: KeyUse?, _ operation: AccessConstraints.Operation
    ) throws(KeychainError) {
        guard let use else {
            // Without a context, no person is known.
            return try constraints.evaluation(
                of: operation, by: AccessFacts(hasPasscode: device.hasPasscode), enrolledSet
            ).check()
        }
        // The request determines the operation, so that nobody decrypts by claiming to delete.
        guard use.operation == operation else {
            throw KeychainError(.param, "the operation that is named is not the one that is asked for")
        }
        try evaluation(of: AccessQuestion(use, constraints, groupDigest: row.groupDigest)).check()
    }
}
