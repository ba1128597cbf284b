import ChatelaineModel
import EnclaveProtocol

/// The facts by which the custodian evaluates constraints: about the device, and about one context.
struct AccessFacts: Equatable, Sendable {
    var hasPasscode = false
    /// The passcode was entered for this operation, these constraints and this access group, or for every item.
    var sawPasscode = false
    /// The passcode was entered, or a biometric matched, for the policy that covers all items.
    var sawOwner = false
    /// The current enrolment; nil if nothing is enrolled.
    var enrolledSet: Bytes16?
    /// The enrolment when a biometric matched for this question; nil if none matched.
    var matchedSet: Bytes16?
    /// Whether the context has an application password.
    ///
    /// Only opening the row's key shows whether it is right.
    var hasApplicationPassword = false
    /// Whether the passcode is required before any biometric is checked.
    var isLockedOut = false
}

extension AccessConstraints {
    /// Evaluates the constraints, and asks for the current enrolment only if that can change the result.
    func evaluation(
        of operation: Operation, by facts: AccessFacts, _ enrolledSet: () -> Bytes16?
    ) -> AccessEvaluation {
        let evaluation = evaluation(of: operation, by: facts)
        // A result that is satisfied without a biometric stays satisfied with one.
        guard evaluation != .satisfied, evaluation != .needs([.applicationPassword]), facts.hasPasscode,
            constraint(on: operation).asksForBiometric
        else { return evaluation }
        var facts = facts
        facts.enrolledSet = enrolledSet()
        return self.evaluation(of: operation, by: facts)
    }

    /// Whether the bound constraints, or whether they can be satisfied, depends on the enrolment.
    var needsEnrolment: Bool {
        operations.values.contains(where: \.needsEnrolment) || otherwise?.needsEnrolment ?? false
    }

    /// Whether the facts allow `operation`; equal facts give equal answers.
    func evaluation(of operation: Operation, by facts: AccessFacts) -> AccessEvaluation {
        let person = constraint(on: operation).evaluation(by: facts)
        guard needsApplicationPassword(for: operation), !facts.hasApplicationPassword else { return person }
        switch person {
        case .satisfied: return .needs([.applicationPassword])
        case .needs(let factors): return .needs(factors.union([.applicationPassword]))
        case .impossible: return person
        }
    }

    /// The constraints bound to the current enrolment, where none is filled in yet.
    func bound(to enrolledSet: Bytes16?) -> AccessConstraints {
        var bound = self
        bound.operations = operations.mapValues { $0.bound(to: enrolledSet) }
        bound.otherwise = otherwise?.bound(to: enrolledSet)
        return bound
    }

    /// Throws if an operation requires what the device cannot give: such an item could be stored and never used.
    func checkSatisfiable(by facts: AccessFacts) throws(KeychainError) {
        for constraint in Array(operations.values) + (otherwise.map { [$0] } ?? []) {
            if case .impossible(let obstacle) = constraint.evaluation(by: facts), obstacle != .never {
                throw obstacle.error
            }
        }
    }
}

extension AccessFacts {
    /// The factor for a biometric constraint.
    ///
    /// During a lockout it is the passcode, which satisfies nothing here but allows biometrics again.
    fileprivate var needsBiometric: AccessEvaluation { .needs(isLockedOut ? [.passcode] : [.biometry]) }
}

extension AccessConstraint {
    fileprivate var needsEnrolment: Bool {
        switch self {
        case .biometryAny, .biometryCurrentSet: true
        case .atLeast(_, let constraints): constraints.contains(where: \.needsEnrolment)
        case .always, .never, .companion, .devicePasscode, .userPresence: false
        }
    }

    func evaluation(by facts: AccessFacts) -> AccessEvaluation {
        switch self {
        case .always: .satisfied
        case .never: .impossible(.never)
        case .companion: .impossible(.noCompanion)
        case .atLeast(let count, let constraints): Self.evaluation(of: count, of: constraints, by: facts)
        // Without a passcode nobody is known to be the owner, whatever is enrolled.
        case .userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet:
            facts.hasPasscode ? evaluationOfPerson(by: facts) : .impossible(.noPasscode)
        }
    }

    private func evaluationOfPerson(by facts: AccessFacts) -> AccessEvaluation {
        switch self {
        case .userPresence:
            if facts.sawPasscode || facts.sawOwner || facts.matchedSet != nil { return .satisfied }
            return .needs(facts.enrolledSet == nil || facts.isLockedOut ? [.passcode] : [.passcode, .biometry])
        case .devicePasscode: return facts.sawPasscode ? .satisfied : .needs([.passcode])
        case .biometryAny:
            guard facts.enrolledSet != nil else { return .impossible(.noBiometry) }
            return facts.matchedSet == nil ? facts.needsBiometric : .satisfied
        case .biometryCurrentSet(let set):
            guard let enrolled = facts.enrolledSet else { return .impossible(.noBiometry) }
            guard set == enrolled else { return .impossible(.enrolmentChanged) }
            return facts.matchedSet == set ? .satisfied : facts.needsBiometric
        case .always, .never, .companion, .atLeast: return .impossible(.never)
        }
    }

    private static func evaluation(
        of count: Int, of constraints: [AccessConstraint], by facts: AccessFacts
    ) -> AccessEvaluation {
        var (satisfied, possible): (Int, Int) = (0, 0)
        var needed: Set<AccessFactor> = []
        var obstacle: AccessObstacle?
        for constraint in constraints {
            switch constraint.evaluation(by: facts) {
            case .satisfied: satisfied += 1
            case .needs(let factors):
                possible += 1
                needed.formUnion(factors)
            case .impossible(let reason): obstacle = obstacle ?? reason
            }
        }
        if satisfied >= count { return .satisfied }
        return satisfied + possible >= count ? .needs(needed) : .impossible(obstacle ?? .never)
    }

    fileprivate func bound(to enrolledSet: Bytes16?) -> AccessConstraint {
        switch self {
        case .biometryCurrentSet(nil): .biometryCurrentSet(enrolledSet)
        case .atLeast(let count, let constraints):
            .atLeast(count, of: constraints.map { $0.bound(to: enrolledSet) })
        default: self
        }
    }
}

extension AuthenticationPolicy {
    /// The constraint of an item that requires the same as this policy.
    var constraint: AccessConstraint {
        switch self {
        case .deviceOwnerAuthentication: .userPresence
        case .deviceOwnerAuthenticationWithBiometrics: .biometryAny
        }
    }
}
