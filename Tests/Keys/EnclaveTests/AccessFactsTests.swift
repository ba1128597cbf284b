import ChatelaineModel
import EnclaveProtocol
import Testing

@testable import Enclave

/// For every constraint and operation, the known facts decide about access, and nothing else.
@Suite struct AccessFactsTests {
    private static let set = Bytes16(repeating: 1)
    private static let otherSet = Bytes16(repeating: 2)

    /// Every combination of facts.
    private static let allFacts: [AccessFacts] = {
        var all: [AccessFacts] = []
        for bits in 0..<16 {
            for enrolled in [nil, set, otherSet] {
                for matched in [nil, set, otherSet] {
                    all.append(
                        AccessFacts(
                            hasPasscode: bits & 1 != 0, sawPasscode: bits & 2 != 0, sawOwner: bits & 4 != 0,
                            enrolledSet: enrolled, matchedSet: matched, hasApplicationPassword: bits & 8 != 0))
                }
            }
        }
        return all
    }()

    private static let leaves: [AccessConstraint] = [
        .always, .never, .userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet(set),
        .biometryCurrentSet(nil),
        .companion,
    ]

    /// The table of `Documentation/behaviour/presence.md`, expressed in a second way.
    private static func expected(_ constraint: AccessConstraint, _ facts: AccessFacts) -> Bool {
        switch constraint {
        case .always: return true
        case .never, .companion: return false
        case .userPresence:
            return facts.hasPasscode && (facts.sawPasscode || facts.sawOwner || facts.matchedSet != nil)
        case .devicePasscode: return facts.hasPasscode && facts.sawPasscode
        case .biometryAny: return facts.hasPasscode && facts.enrolledSet != nil && facts.matchedSet != nil
        case .biometryCurrentSet(let set):
            return facts.hasPasscode && set != nil && facts.enrolledSet == set && facts.matchedSet == set
        case .atLeast(let count, let constraints): return constraints.count { expected($0, facts) } >= count
        }
    }

    private static func constraints(_ constraint: AccessConstraint, password: Bool = false) -> AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [.decrypt: constraint, .encrypt: .always, .delete: .always]
        constraints.needsApplicationPassword = password
        return constraints
    }

    /// The facts after a user or program has provided one more factor.
    private static func with(_ factor: AccessFactor, _ facts: AccessFacts) -> AccessFacts {
        var facts = facts
        switch factor {
        case .passcode: facts.sawPasscode = true
        case .biometry: facts.matchedSet = facts.enrolledSet
        case .applicationPassword: facts.hasApplicationPassword = true
        }
        return facts
    }

    @Test func everyConstraintByEveryFact() {
        var all = leavesAndCombinations
        all.append(.atLeast(3, of: [.devicePasscode, .biometryCurrentSet(Self.set), .companion]))
        for constraint in all {
            for facts in Self.allFacts {
                let evaluation = Self.constraints(constraint).evaluation(of: .decrypt, by: facts)
                #expect((evaluation == .satisfied) == Self.expected(constraint, facts), "\(constraint) \(facts)")
                switch evaluation {
                case .satisfied: break
                case .needs(let factors):
                    // All missing factors together satisfy the constraint, and no useless factor is asked for.
                    #expect(!factors.isEmpty && !factors.contains(.applicationPassword))
                    let given = factors.reduce(facts) { Self.with($1, $0) }
                    #expect(Self.expected(constraint, given), "\(constraint) \(facts) \(factors)")
                case .impossible:
                    let given = AccessFactor.allCases.reduce(facts) { Self.with($1, $0) }
                    #expect(!Self.expected(constraint, given), "\(constraint) \(facts)")
                }
            }
        }
    }

    private var leavesAndCombinations: [AccessConstraint] {
        var all = Self.leaves
        for first in Self.leaves {
            for second in Self.leaves {
                all.append(.atLeast(1, of: [first, second]))
                all.append(.atLeast(2, of: [first, second]))
            }
        }
        return all
    }

    @Test func obstaclesAreNamed() {
        let known = AccessFacts(hasPasscode: true, enrolledSet: Self.set)
        let bare = AccessFacts(hasPasscode: true)
        let rows: [(AccessConstraint, AccessFacts, AccessObstacle)] = [
            (.never, known, .never), (.companion, known, .noCompanion), (.userPresence, AccessFacts(), .noPasscode),
            (.devicePasscode, AccessFacts(), .noPasscode),
            (.biometryAny, AccessFacts(enrolledSet: Self.set), .noPasscode), (.biometryAny, bare, .noBiometry),
            (.biometryCurrentSet(Self.set), bare, .noBiometry),
            (.biometryCurrentSet(Self.otherSet), known, .enrolmentChanged),
            (.biometryCurrentSet(nil), known, .enrolmentChanged),
            (.atLeast(2, of: [.devicePasscode, .biometryAny]), bare, .noBiometry),
            (.atLeast(1, of: [.companion, .biometryAny]), bare, .noCompanion),
        ]
        for (constraint, facts, obstacle) in rows {
            #expect(
                Self.constraints(constraint).evaluation(of: .decrypt, by: facts) == .impossible(obstacle),
                "\(constraint)")
        }
        // Without biometrics the passcode still counts.
        let either = AccessConstraint.atLeast(1, of: [.biometryCurrentSet(nil), .devicePasscode])
        #expect(Self.constraints(either).evaluation(of: .decrypt, by: bare) == .needs([.passcode]))
        #expect(Self.constraints(.userPresence).evaluation(of: .decrypt, by: known) == .needs([.passcode, .biometry]))
    }

    @Test func everyOperationHasItsOwn() {
        var constraints = AccessConstraints()
        for operation in AccessConstraints.Operation.allCases {
            for other in AccessConstraints.Operation.allCases {
                constraints.operations = [operation: .always]
                constraints.otherwise = nil
                let evaluation = constraints.evaluation(of: other, by: AccessFacts(hasPasscode: true))
                #expect(evaluation == (operation == other ? .satisfied : .impossible(.never)))
                constraints.otherwise = .devicePasscode
                let second = constraints.evaluation(of: other, by: AccessFacts(hasPasscode: true))
                #expect(second == (operation == other ? .satisfied : .needs([.passcode])))
            }
        }
    }

    /// A program's password is needed in addition to the constraint, and only where the secret itself is handled.
    @Test func aPasswordIsAskedForBesides() {
        for facts in Self.allFacts {
            for constraint in Self.leaves {
                let plain = Self.constraints(constraint).evaluation(of: .decrypt, by: facts)
                let both = Self.constraints(constraint, password: true).evaluation(of: .decrypt, by: facts)
                switch plain {
                case _ where facts.hasApplicationPassword: #expect(both == plain)
                case .satisfied: #expect(both == .needs([.applicationPassword]))
                case .needs(let factors): #expect(both == .needs(factors.union([.applicationPassword])))
                case .impossible: #expect(both == plain)
                }
            }
        }
        let constraints = Self.constraints(.always, password: true)
        #expect(constraints.evaluation(of: .encrypt, by: AccessFacts()) == .needs([.applicationPassword]))
        #expect(constraints.evaluation(of: .delete, by: AccessFacts()) == .satisfied)
    }

    @Test func bindingFillsInWhatIsEnrolledNow() {
        let made = Self.constraints(.atLeast(1, of: [.biometryCurrentSet(nil), .devicePasscode]))
        let bound = made.bound(to: Self.set)
        #expect(bound == Self.constraints(.atLeast(1, of: [.biometryCurrentSet(Self.set), .devicePasscode])))
        // Bound constraints stay as they are.
        #expect(bound.bound(to: Self.otherSet) == bound && made.bound(to: nil) == made && bound.unbound == made)
    }
}
