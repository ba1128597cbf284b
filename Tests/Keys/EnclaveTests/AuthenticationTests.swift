import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// Rows with constraints give their keys to callers who satisfy them, and to nobody else.
@Suite struct AuthenticationTests {
    private static let passcode = "four words"
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let one = ContextReference.sample(1)

    init() throws { folder = try TemporaryFolder() }

    private func start(_ settings: EnclaveSettings = .quick(), hasPasscode: Bool = true) throws -> Enclave {
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: true)
        if hasPasscode { _ = try enclave.passcode(SetPasscode(store), Self.passcode) }
        return enclave
    }

    private func prove(
        _ enclave: Enclave, _ question: AccessQuestion, _ passcode: String = AuthenticationTests.passcode
    ) throws -> PasscodeOutcome { try enclave.passcode(ProveQuestion(question, .agent, in: store), passcode).outcome }

    private func cause(_ body: () throws -> Void) -> KeychainError.Cause? { failure(body)?.cause }

    @Test func aKeyComesForThePasscodeAndNotBefore() throws {
        let enclave = try start()
        let row = RowContext.sample(store, .userPresence)
        // Storing needs no person.
        let (key, wrapped) = try enclave.create(row, for: nil)
        #expect(wrapped.context == row)
        for use in [nil, one.decrypting] {
            let refusal = failure { _ = try enclave.open(wrapped, for: use) }
            #expect(refusal?.cause == .needsPerson && refusal?.status == .interactionNotAllowed)
        }
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .needs([.passcode]))
        #expect(try prove(enclave, row.question(in: one), "wrong") == .wrong)
        #expect(cause { _ = try enclave.open(wrapped, for: one.decrypting) } == .needsPerson)
        #expect(try prove(enclave, row.question(in: one)) == .done)
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .satisfied)
        #expect(try enclave.open(wrapped, for: one.decrypting) == key)
    }

    /// A proof counts for its context, principal, group, constraints and operation alone.
    @Test func aProofCountsForItsQuestion() throws {
        let enclave = try start()
        let row = RowContext.sample(store, .devicePasscode)
        let (key, wrapped) = try enclave.create(row, for: nil)
        #expect(try prove(enclave, row.question(in: one)) == .done)
        #expect(try enclave.open(wrapped, for: one.decrypting) == key)
        // The proof does not count in another context, for another principal, or without a context.
        for use in [ContextReference.sample(2).decrypting, ContextReference.sample(1, of: 2).decrypting, nil] {
            #expect(cause { _ = try enclave.open(wrapped, for: use) } == .needsPerson)
        }
        // The proof does not count for another group or other constraints.
        var foreign = RowContext.sample(store, .devicePasscode)
        foreign.groupDigest = Bytes16(repeating: 9)
        let other = RowContext.sample(store, .atLeast(1, of: [.devicePasscode, .biometryAny]))
        for context in [foreign, other] {
            let (_, wrapped) = try enclave.create(context, for: nil)
            #expect(cause { _ = try enclave.open(wrapped, for: one.decrypting) } == .needsPerson)
        }
        // Another row of the same group and constraints needs no second dialog.
        let (second, wrappedSecond) = try enclave.create(.sample(store, .devicePasscode), for: nil)
        #expect(try enclave.open(wrappedSecond, for: one.decrypting) == second)
        // The proof does not count for another operation. Reading is decrypting, whatever the caller calls it.
        var mixed = RowContext.sample(store, .devicePasscode)
        mixed.constraints?.operations[.delete] = .devicePasscode
        let (_, wrappedMixed) = try enclave.create(mixed, for: nil)
        #expect(try prove(enclave, mixed.question(in: one, .delete)) == .done)
        #expect(cause { _ = try enclave.open(wrappedMixed, for: one.decrypting) } == .needsPerson)
        for operation in AccessConstraints.Operation.allCases where operation != .decrypt {
            #expect(failure { _ = try enclave.open(wrapped, for: KeyUse(one, for: operation)) }?.status == .param)
        }
        // The proof does not count in another store of the same custodian.
        let elsewhere = StoreIdentifier()
        _ = try enclave.openStore(elsewhere, isEmpty: true)
        _ = try enclave.passcode(SetPasscode(elsewhere), Self.passcode)
        let (_, wrappedElsewhere) = try enclave.create(.sample(elsewhere, .devicePasscode), for: nil)
        #expect(cause { _ = try enclave.open(wrappedElsewhere, for: one.decrypting) } == .needsPerson)
    }

    /// A row whose constraints were removed or exchanged has a damaged key, which is reported before anything else.
    @Test func constraintsAreNeitherStrippedNorExchanged() throws {
        let enclave = try start()
        let (_, wrapped) = try enclave.create(.sample(store, .userPresence), for: nil)
        #expect(try prove(enclave, wrapped.context.question(in: one)) == .done)
        var contexts: [RowContext] = []
        for constraints in [
            nil, .decrypting(.always), .decrypting(.devicePasscode), AccessConstraints(),
            .decrypting(.userPresence, applicationPassword: true),
        ] {
            var context = wrapped.context
            context.constraints = constraints
            contexts.append(context)
        }
        var moved = wrapped.context
        moved.groupDigest = Bytes16(repeating: 9)
        for context in contexts + [moved] {
            let forged = WrappedRowKey(classKeyID: wrapped.classKeyID, wrapped: wrapped.wrapped, context: context)
            #expect(cause { _ = try enclave.open(forged, for: one.decrypting) } == .unsealable)
            #expect(cause { _ = try enclave.rewrap(forged) } == .unsealable)
        }
        // Nobody can add constraints to a row that has none.
        let plain = RowContext.sample(store)
        var forged = try enclave.create(plain, for: nil).row
        forged.context.constraints = .decrypting(.always)
        #expect(cause { _ = try enclave.open(forged, for: nil) } == .unsealable)
        // Damage is distinguished from refusal, even for callers without access.
        var damaged = wrapped
        damaged.wrapped[20] ^= 1
        #expect(cause { _ = try enclave.open(damaged, for: nil) } == .unsealable)
    }

    @Test func thePolicyStandsForPresenceAndNothingMore() throws {
        let enclave = try start()
        let present = try enclave.create(.sample(store, .userPresence), for: nil)
        let passcode = try enclave.create(.sample(store, .devicePasscode), for: nil)
        let request = ProvePolicy(.deviceOwnerAuthentication, one, .agent, in: store)
        #expect(try enclave.passcode(request, "wrong").outcome == .wrong)
        #expect(cause { _ = try enclave.open(present.row, for: one.decrypting) } == .needsPerson)
        #expect(try enclave.passcode(request, Self.passcode).outcome == .done)
        #expect(try enclave.open(present.row, for: one.decrypting) == present.key)
        #expect(cause { _ = try enclave.open(passcode.row, for: one.decrypting) } == .needsPerson)
        #expect(
            cause { _ = try enclave.open(present.row, for: ContextReference.sample(1, of: 2).decrypting) }
                == .needsPerson)
    }

    /// A proof for all of a principal's items is a proof for each of them, but does not count as a fingerprint.
    @Test func thePasscodeForEveryItemIsThatOfEach() throws {
        let enclave = try start()
        let asked = try [
            AccessConstraint.userPresence, .devicePasscode, .atLeast(1, of: [.devicePasscode, .companion]),
        ]
        .map { try enclave.create(.sample(store, $0), for: nil) }
        let request = ProvePasscode(one, .agent, in: store)
        #expect(try enclave.passcode(request, "wrong").outcome == .wrong)
        for row in asked { #expect(cause { _ = try enclave.open(row.row, for: one.decrypting) } == .needsPerson) }
        #expect(try enclave.passcode(request, Self.passcode).outcome == .done)
        for row in asked {
            #expect(try enclave.open(row.row, for: one.decrypting) == row.key)
            for use in [ContextReference.sample(2).decrypting, ContextReference.sample(1, of: 2).decrypting] {
                #expect(cause { _ = try enclave.open(row.row, for: use) } == .needsPerson)
            }
        }
        try enclave.lock(store)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), Self.passcode).outcome == .done)
        #expect(cause { _ = try enclave.open(asked[1].row, for: one.decrypting) } == .needsPerson)
    }

    /// Each of these events discards proofs at once.
    @Test func proofsEnd() throws {
        let clock = FakeBootClock()
        let enclave = try start(.quick(clock))
        let row = RowContext.sample(store, .userPresence, .always)
        let (key, wrapped) = try enclave.create(row, for: nil)
        func isOpen() throws -> Bool { try enclave.evaluate(row.question(in: one), in: store) == .satisfied }
        let endings: [(String, () throws -> Void)] = [
            ("its end", { _ = try enclave.checked(EndContext(1)) }),
            ("a lock", { try enclave.lock(store) }),
            ("time", { clock.advance(by: AuthenticationContexts.lifetime) }),
            (
                "a closed store",
                {
                    _ = try enclave.checked(CloseStore(store))
                    _ = try enclave.openStore(store, isEmpty: false)
                }
            ),
            (
                "another passcode",
                { _ = try enclave.passcode(ChangePasscode(.agent, in: store), Self.passcode, Self.passcode) }
            ),
            ("new keys", { _ = try enclave.passcode(MakeNewKeys(.agent, in: store), Self.passcode) }),
        ]
        for (name, end) in endings {
            #expect(try prove(enclave, row.question(in: one)) == .done)
            #expect(try isOpen())
            #expect(try enclave.open(wrapped, for: one.decrypting) == key)
            try end()
            #expect(try !isOpen(), "\(name)")
            #expect(cause { _ = try enclave.open(wrapped, for: one.decrypting) } == .needsPerson, "\(name)")
        }
        // The end of another context does not affect this one.
        #expect(try prove(enclave, row.question(in: one)) == .done)
        _ = try enclave.checked(EndContext(2))
        clock.advance(by: AuthenticationContexts.lifetime - 1)
        #expect(try isOpen())
    }

    /// A lock takes effect even while a passcode is being checked.
    @Test func aLockStandsAboveAProofUnderWay() throws {
        let holder = Holder()
        let enclave = try start(.quick(hash: .quick(before: { holder.run() })))
        let row = RowContext.sample(store, .userPresence)
        _ = try enclave.create(row, for: nil)
        holder.set { [store] in _ = enclave.answer(LockStore(store)) }
        #expect(failure { _ = try prove(enclave, row.question(in: one)) }?.status == .interactionNotAllowed)
        holder.set {}
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .needs([.passcode]))
    }

    @Test func withoutAPasscodeNobodyIsThere() throws {
        let enclave = try start(hasPasscode: false)
        for constraint in [
            AccessConstraint.userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet(nil),
            .atLeast(1, of: [.devicePasscode, .biometryAny]),
        ] {
            let row = RowContext.sample(store, constraint)
            #expect(failure { _ = try enclave.create(row, for: nil) }?.status == .authFailed)
            #expect(try enclave.evaluate(row.question(in: one), in: store) == .impossible(.noPasscode))
            #expect(failure { _ = try prove(enclave, row.question(in: one)) }?.status == .param)
        }
        // Rows that need no person are stored and read.
        let (key, wrapped) = try enclave.create(.sample(store, AccessConstraint.always), for: nil)
        #expect(try enclave.open(wrapped, for: nil) == key)
        // A row from before the passcode was removed is refused, but is not damaged.
        _ = try enclave.passcode(SetPasscode(store), Self.passcode)
        let guarded = try enclave.create(.sample(store, .userPresence), for: nil).row
        #expect(try prove(enclave, guarded.context.question(in: one)) == .done)
        _ = try enclave.passcode(RemovePasscode(.agent, in: store), Self.passcode)
        #expect(failure { _ = try enclave.open(guarded, for: one.decrypting) }?.status == .authFailed)
    }

    @Test func whatNothingCanSatisfyIsNotStored() throws {
        let enclave = try start()
        for constraint in [
            AccessConstraint.biometryAny, .biometryCurrentSet(nil), .companion,
            .atLeast(2, of: [.devicePasscode, .biometryAny]), .atLeast(1, of: [.companion]),
        ] {
            #expect(failure { _ = try enclave.create(.sample(store, constraint), for: nil) }?.status == .authFailed)
        }
        // With the passcode as an alternative, access is possible.
        let either = RowContext.sample(store, .atLeast(1, of: [.biometryCurrentSet(nil), .devicePasscode]))
        let (key, wrapped) = try enclave.create(either, for: nil)
        #expect(try prove(enclave, either.question(in: one)) == .done)
        #expect(try enclave.open(wrapped, for: one.decrypting) == key)
        // A row that nobody may encrypt is not stored, and a row whose encryption needs a person asks for one.
        var row = RowContext.sample(store, AccessConstraint.always)
        row.constraints?.operations[.encrypt] = nil
        #expect(failure { _ = try enclave.create(row, for: nil) }?.status == .authFailed)
        row.constraints?.operations[.encrypt] = .devicePasscode
        #expect(cause { _ = try enclave.create(row, for: one.encrypting) } == .needsPerson)
        #expect(try prove(enclave, row.question(in: one, .encrypt)) == .done)
        #expect(throws: Never.self) { try enclave.create(row, for: one.encrypting) }
        #expect(failure { _ = try enclave.create(row, for: one.decrypting) }?.status == .param)
    }

    @Test func biometricsAreBoundWhenARowIsStored() throws {
        var settings = EnclaveSettings.quick()
        settings.biometry = FakeBiometry(enrolledSet: Bytes16(repeating: 1))
        let bound: WrappedRowKey
        do {
            let enclave = try start(settings)
            let row = RowContext.sample(store, .biometryCurrentSet(nil))
            bound = try enclave.create(row, for: nil).row
            #expect(bound.context.constraints == .decrypting(.biometryCurrentSet(Bytes16(repeating: 1))))
            #expect(try enclave.evaluate(bound.context.question(in: one), in: store) == .needs([.biometry]))
            // A passcode does not replace the fingerprint.
            #expect(try prove(enclave, bound.context.question(in: one)) == .done)
            #expect(cause { _ = try enclave.open(bound, for: one.decrypting) } == .needsPerson)
        }
        settings.biometry = FakeBiometry(enrolledSet: Bytes16(repeating: 2))
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: false)
        _ = try enclave.passcode(UnlockStore(.agent, in: store), Self.passcode)
        #expect(failure { _ = try enclave.open(bound, for: one.decrypting) }?.status == .authFailed)
        #expect(
            try enclave.evaluate(bound.context.question(in: one), in: store) == .impossible(.enrolmentChanged))
    }

    /// Rows are wrapped anew without a person, and keep their constraints.
    @Test func wrappingAnewGivesNothingAway() throws {
        let enclave = try start()
        let row = RowContext.sample(store, .userPresence)
        let (key, former) = try enclave.create(row, for: nil)
        _ = try enclave.passcode(MakeNewKeys(.agent, in: store), Self.passcode)
        let later = try enclave.rewrap(former)
        #expect(later.classKeyID != former.classKeyID && later.context == former.context)
        #expect(cause { _ = try enclave.open(later, for: one.decrypting) } == .needsPerson)
        #expect(try prove(enclave, row.question(in: one)) == .done)
        #expect(try enclave.open(later, for: one.decrypting) == key)
        try enclave.destroyKeys(try enclave.status(of: store).supersededKeys, in: store)
        #expect(cause { _ = try enclave.open(former, for: one.decrypting) } == .keyDestroyed)
        #expect(try enclave.open(later, for: one.decrypting) == key)
        // Rows without constraints are wrapped anew as well, and each row of a batch has its own answer.
        let plain = try enclave.create(.sample(store), for: nil)
        #expect(try enclave.open(try enclave.rewrap(plain.row), for: nil) == plain.key)
        try enclave.lock(store)
        #expect(cause { _ = try enclave.rewrap(later) } == .locked)
    }

    /// Both requests count wrong passcodes in the same counters, with the same delays and the agent apart from
    /// programs.
    @Test func wrongPasscodesAreCountedAsAnywhere() throws {
        let (clock, evaluated) = (FakeBootClock(), Counter())
        let enclave = try start(.quick(clock, hash: .quick(evaluated)))
        let before = evaluated.value
        let question = RowContext.sample(store, .userPresence).question(in: one)
        let program = PasscodeOrigin.program(Bytes16(repeating: 8))
        func attempt(_ round: Int, _ origin: PasscodeOrigin) throws -> PasscodeReport {
            let requests: [any EnclavePasscodeRequest] = [
                ProveQuestion(question, origin, in: store), UnlockStore(origin, in: store),
                ProvePolicy(.deviceOwnerAuthentication, one, origin, in: store),
                ProvePasscode(one, origin, in: store),
            ]
            let request = requests[round % requests.count]
            return try enclave.passcode(request, "wrong")
        }
        for round in 0..<300 {
            let report = try attempt(round, .agent)
            #expect(report.outcome == (round < 5 ? .wrong : .delayed) && report.failures == min(UInt32(round) + 1, 5))
        }
        #expect(evaluated.value == before + 5)
        // Programs have counters of their own, which do not delay the dialog of the agent.
        for round in 0..<5 { #expect(try attempt(round, program).outcome == .wrong) }
        #expect(try attempt(0, program).outcome == .delayed)
        clock.advance(by: FakeBootClock.minute)
        #expect(try prove(enclave, question) == .done)
        #expect(try enclave.status(of: store).failures == 0 && enclave.status(of: store, for: program).failures == 0)
    }

    /// Any number of connections cannot exhaust the custodian, and a full list affects none of the contexts in it.
    @Test func contextsAreBounded() throws {
        let enclave = try start()
        for number in 0..<UInt64(AuthenticationContexts.maximumCount) {
            try enclave.setPassword("p", of: .sample(number + 10), in: store)
        }
        #expect(failure { try enclave.setPassword("p", of: .sample(5), in: store) }?.status == .notAvailable)
        try enclave.setPassword("q", of: .sample(10), in: store)
        let question = RowContext.sample(store, .userPresence).question(in: .sample(5))
        #expect(failure { _ = try prove(enclave, question) }?.status == .notAvailable)
        // Removing a password that does not exist makes no context.
        try enclave.setPassword(nil, of: .sample(6), in: store)
        _ = try enclave.checked(EndContext(11))
        #expect(try prove(enclave, question) == .done)
    }

    @Test func proofsOfAContextAreBounded() throws {
        var contexts = AuthenticationContexts()
        let questions = (0...AuthenticationContexts.maximumProofs).map { index in
            AccessQuestion(
                one.decrypting, .decrypting(.devicePasscode), groupDigest: Bytes16(repeating: UInt8(index)))
        }
        for question in questions { try contexts.note(.passcode, for: .init(question), in: one, now: 5) }
        func isKnown(_ question: AccessQuestion, _ now: UInt64 = 5) -> Bool {
            contexts.facts(for: question, hasPasscode: true, now: now).sawPasscode
        }
        #expect(!isKnown(questions[0]) && questions.dropFirst().allSatisfy { isKnown($0) })
        // A time before that of the proof cannot be right, so the proof does not count.
        #expect(!isKnown(questions[1], 4))
        // A repeated proof takes no further place.
        try contexts.note(.passcode, for: .init(questions[2]), in: one, now: 6)
        #expect(isKnown(questions[1], 6) && isKnown(questions[2], 6) && contexts.count == 1)
    }
}

/// An action that runs in the middle of another one, and is set once it is known.
private final class Holder: Sendable {
    private let body = Mutex<@Sendable () -> Void>({})
    func set(_ new: @escaping @Sendable () -> Void) { body.withLock { $0 = new } }
    func run() { body.withLock { $0 }() }
}
