import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Authentication contexts of a store: what they know, and how they come to know it.
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

    /// Asked for where a constraint asks for it, and not before: it takes a message to another process and back, or seconds.
    private func enrolledSet() -> Bytes16? { settings.biometry.enrolment().enrolledSet }

    /// All that is known without asking anybody.
    private func facts(for question: AccessQuestion) -> AccessFacts {
        let now = settings.clock.now()
        return withState { state in
            var facts = state.contexts.facts(for: question, hasPasscode: state.device.hasPasscode, now: now)
            facts.isLockedOut = state.matchTries.isLockedOut
            return facts
        }
    }

    /// Has a match in another context of the same principal count in this one.
    func allowReuse(seconds: UInt32, in context: ContextReference) throws(KeychainError) {
        let set: Result<Void, KeychainError> = withState { state in
            Result { () throws(KeychainError) in try state.contexts.allowReuse(seconds: seconds, in: context) }
        }
        try set.get()
    }

    /// Notes in a context what a biometric has matched for.
    ///
    /// - Parameter lockings: how often the store had been locked when it was asked for.
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
                            cause: .locked, "it was locked while the passcode was looked at; try again")
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
        let bound = try bound(constraints)
        try check(bound, of: row, for: use, .encrypt)
        return bound
    }

    /// The same of a private key, which anybody may make: nothing is encrypted.
    func bound(_ constraints: AccessConstraints) throws(KeychainError) -> AccessConstraints {
        let enrolledSet = constraints.needsEnrolment ? enrolledSet() : nil
        let bound = constraints.bound(to: enrolledSet)
        try bound.checkSatisfiable(by: AccessFacts(hasPasscode: device.hasPasscode, enrolledSet: enrolledSet))
        return bound
    }

    /// Throws unless constraints are satisfied for an operation by what the context of `use` knows.
    func check(
        _ constraints: AccessConstraints, of row: RowContext, for use: KeyUse?, _ operation: AccessConstraints.Operation
    ) throws(KeychainError) {
        guard let use else {
            // Nobody who could be known.
            return try constraints.evaluation(
                of: operation, by: AccessFacts(hasPasscode: device.hasPasscode), enrolledSet
            ).check()
        }
        // What is done is what the request does: nobody decrypts by saying that it deletes.
        guard use.operation == operation else {
            throw KeychainError(.param, "the operation that is named is not the one that is asked for")
        }
        try evaluation(of: AccessQuestion(use, constraints, groupDigest: row.groupDigest)).check()
    }
}
