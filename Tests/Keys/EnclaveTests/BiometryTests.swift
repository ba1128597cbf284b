import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// Biometrics satisfy constraints of rows, with a reader that the test controls.
@Suite struct BiometryTests {
    private static let passcode = "four words"
    private static let set = Bytes16(repeating: 1)

    /// A reader that gives the answers of a test, and counts the requests.
    private final class Reader: BiometrySource {
        let enrolled = Mutex(BiometryEnrolment.set(BiometryTests.set))
        let looks = Mutex(0)
        let matches = Mutex<[BiometryMatch]>([])
        /// Runs while a person is asked.
        let meanwhile = Mutex<@Sendable () -> Void>({})

        func enrolment() -> BiometryEnrolment {
            looks.withLock { $0 += 1 }
            return enrolled.withLock { $0 }
        }

        func match(while isAwaited: () -> Bool) -> BiometryMatch {
            meanwhile.withLock { $0 }()
            guard isAwaited() else { return .withdrawn }
            return matches.withLock { $0.isEmpty ? .matched(BiometryTests.set) : $0.removeFirst() }
        }
    }

    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let one = ContextReference.sample(1)
    private let reader = Reader()

    init() throws { folder = try TemporaryFolder() }

    private func start(isEmpty: Bool = true) throws -> Enclave {
        var settings = EnclaveSettings.quick()
        settings.biometry = reader
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: isEmpty)
        if isEmpty { _ = try enclave.passcode(SetPasscode(store), Self.passcode) }
        return enclave
    }

    private func match(_ enclave: Enclave, _ request: some EnclaveMatchRequest) throws -> MatchReport {
        try enclave.checked(request)
    }

    private func match(_ enclave: Enclave, _ row: RowContext, in context: ContextReference? = nil) throws -> MatchReport
    {
        try match(enclave, MatchQuestion(row.question(in: context ?? one), in: store))
    }

    private func report(_ enclave: Enclave) throws -> BiometryReport {
        try enclave.checked(ReadBiometry(store))
    }

    @Test func aMatchCountsForItsQuestion() throws {
        let enclave = try start()
        for constraint in [AccessConstraint.userPresence, .biometryAny, .biometryCurrentSet(nil)] {
            let (key, wrapped) = try enclave.create(.sample(store, constraint), for: nil)
            #expect(failure { _ = try enclave.open(wrapped, for: one.decrypting) }?.cause == .needsPerson)
            #expect(try match(enclave, wrapped.context).outcome == .matched)
            #expect(try enclave.open(wrapped, for: one.decrypting) == key)
            for use in [ContextReference.sample(2).decrypting, ContextReference.sample(1, of: 2).decrypting, nil] {
                #expect(failure { _ = try enclave.open(wrapped, for: use) }?.cause == .needsPerson)
            }
        }
        // A match does not replace the passcode.
        let (_, wrapped) = try enclave.create(.sample(store, .devicePasscode), for: nil)
        #expect(try match(enclave, wrapped.context).outcome == .matched)
        #expect(try enclave.evaluate(wrapped.context.question(in: one), in: store) == .needs([.passcode]))
    }

    @Test func aMatchForAPolicyCountsForAllItems() throws {
        let enclave = try start()
        let rows = try [AccessConstraint.userPresence, .biometryAny, .biometryCurrentSet(nil), .devicePasscode].map {
            try enclave.create(.sample(store, $0), for: nil).row.context
        }
        for (number, policy) in AuthenticationPolicy.allCases.enumerated() {
            let context = ContextReference.sample(UInt64(10 + number))
            #expect(try match(enclave, MatchPolicy(policy, context, in: store)).outcome == .matched)
            for row in rows.dropLast() {
                #expect(try enclave.evaluate(row.question(in: context), in: store) == .satisfied)
            }
            #expect(try enclave.evaluate(rows[3].question(in: context), in: store) == .needs([.passcode]))
        }
        // A passcode satisfies presence, but no biometric constraint.
        let prove = ProvePolicy(.deviceOwnerAuthentication, one, .agent, in: store)
        #expect(try enclave.passcode(prove, Self.passcode).outcome == .done)
        #expect(try enclave.evaluate(rows[0].question(in: one), in: store) == .satisfied)
        #expect(try enclave.evaluate(rows[1].question(in: one), in: store) == .needs([.biometry]))
        let biometric = ProvePolicy(.deviceOwnerAuthenticationWithBiometrics, one, .agent, in: store)
        #expect(failure { _ = try enclave.passcode(biometric, Self.passcode) }?.status == .param)
    }

    /// A program may let a match count in another of its contexts, for a time that it sets.
    @Test func aMatchMayCountElsewhere() throws {
        let enclave = try start()
        let row = try enclave.create(.sample(store, .biometryAny), for: nil).row.context
        let (two, foreign) = (ContextReference.sample(2), ContextReference.sample(3, of: 2))
        func isOpen(in context: ContextReference) throws -> Bool {
            try enclave.evaluate(row.question(in: context), in: store) == .satisfied
        }
        func allow(_ seconds: UInt32, in context: ContextReference) throws {
            _ = try enclave.checked(AllowReuse(context, seconds: seconds, in: store))
        }
        for context in [two, foreign] { try allow(300, in: context) }
        #expect(try !isOpen(in: two))
        #expect(try match(enclave, row).outcome == .matched)
        #expect(try isOpen(in: one) && isOpen(in: two))
        #expect(try !isOpen(in: foreign), "it is another program's")
        #expect(try !isOpen(in: .sample(4)), "it did not say so")
        let policy = EvaluateContextPolicy(.deviceOwnerAuthenticationWithBiometrics, two, in: store)
        #expect(try enclave.checked(policy) == .satisfied)
        try allow(0, in: two)
        #expect(try !isOpen(in: two))
        try allow(1, in: two)
        #expect(try isOpen(in: two))
        // The time is limited to five minutes, whatever the program sets.
        try allow(.max, in: two)
        #expect(try isOpen(in: two))
        _ = try enclave.checked(LockStore(store))
        try allow(300, in: two)
        #expect(try !isOpen(in: two))
    }

    /// As soon as the enrolment changes, rows bound to the former one are refused, whatever matched.
    @Test func whatIsEnrolledIsAskedEachTime() throws {
        let enclave = try start()
        let (key, bound) = try enclave.create(.sample(store, .biometryCurrentSet(nil)), for: nil)
        let (other, any) = try enclave.create(.sample(store, .biometryAny), for: nil)
        for row in [bound, any] { #expect(try match(enclave, row.context).outcome == .matched) }
        #expect(try enclave.open(bound, for: one.decrypting) == key)
        reader.enrolled.withLock { $0 = .set(Bytes16(repeating: 2)) }
        #expect(failure { _ = try enclave.open(bound, for: one.decrypting) }?.status == .authFailed)
        #expect(try enclave.open(any, for: one.decrypting) == other)
        for nothing in [BiometryEnrolment.nothing, .noReader] {
            reader.enrolled.withLock { $0 = nothing }
            for row in [bound, any] {
                #expect(failure { _ = try enclave.open(row, for: one.decrypting) }?.status == .authFailed)
            }
            #expect(failure { _ = try enclave.create(.sample(store, .biometryAny), for: nil) }?.status == .authFailed)
        }
    }

    @Test func nobodyIsAskedForNothing() throws {
        let enclave = try start()
        let plain = try enclave.create(.sample(store, AccessConstraint.always), for: nil).row
        let code = try enclave.create(.sample(store, .devicePasscode), for: nil).row
        let present = try enclave.create(.sample(store, .userPresence), for: nil).row
        _ = try enclave.open(plain, for: nil)
        #expect(try enclave.evaluate(code.context.question(in: one), in: store) == .needs([.passcode]))
        #expect(reader.looks.withLock { $0 } == 0)
        #expect(try enclave.evaluate(present.context.question(in: one), in: store) == .needs([.passcode, .biometry]))
        #expect(reader.looks.withLock { $0 } == 1)
        // A satisfied constraint does not consult the reader.
        #expect(try match(enclave, present.context).outcome == .matched)
        _ = try enclave.open(present, for: one.decrypting)
        #expect(reader.looks.withLock { $0 } == 1)
        _ = try enclave.passcode(RemovePasscode(.agent, in: store), Self.passcode)
        #expect(try enclave.evaluate(present.context.question(in: one), in: store) == .impossible(.noPasscode))
        #expect(failure { _ = try match(enclave, present.context) }?.status == .authFailed)
        #expect(reader.looks.withLock { $0 } == 1)
    }

    @Test func tooManyNeedThePasscode() throws {
        let enclave = try start()
        let (key, any) = try enclave.create(.sample(store, .biometryAny), for: nil)
        #expect(try report(enclave) == BiometryReport(.ready, kind: .fingerprint, enrolledSet: Self.set))
        let most = EnclaveWire.matchTries
        reader.matches.withLock { $0 = [BiometryMatch](repeating: .notMatched, count: Int(most) + 3) }
        for left in (0..<most).reversed() {
            #expect(try match(enclave, any.context) == MatchReport(.notMatched, triesLeft: left))
        }
        #expect(try match(enclave, any.context).outcome == .lockedOut)
        #expect(try report(enclave).availability == .lockedOut)
        // Nothing else consults the reader, not even a request for presence.
        #expect(reader.matches.withLock { $0.count } == 3)
        #expect(try enclave.evaluate(any.context.question(in: one), in: store) == .needs([.passcode]))
        let prove = ProveQuestion(any.context.question(in: one), .agent, in: store)
        #expect(try enclave.passcode(prove, "wrong").outcome == .wrong)
        #expect(try match(enclave, any.context).outcome == .lockedOut)
        #expect(try enclave.passcode(prove, Self.passcode).outcome == .done)
        #expect(try enclave.evaluate(any.context.question(in: one), in: store) == .needs([.biometry]))
        reader.matches.withLock { $0 = [.notMatched] }
        #expect(try match(enclave, any.context) == MatchReport(.notMatched, triesLeft: most - 1))
        #expect(try match(enclave, any.context).outcome == .matched)
        #expect(try enclave.open(any, for: one.decrypting) == key)
        reader.matches.withLock { $0 = [.notMatched] }
        #expect(try match(enclave, any.context).triesLeft == most - 1)
    }

    /// Ending the custodian gains nobody more tries.
    @Test func afterAStartThePasscodeComesFirst() throws {
        do { _ = try start() }
        let enclave = try start(isEmpty: false)
        let row = RowContext.sample(store, .biometryAny, .always)
        #expect(try match(enclave, row).outcome == .lockedOut)
        _ = try enclave.passcode(UnlockStore(.agent, in: store), Self.passcode)
        #expect(try match(enclave, row).outcome == .matched)
    }

    @Test func aLockForgetsMatches() throws {
        let enclave = try start()
        let row = RowContext.sample(store, .biometryAny, .always)
        #expect(try match(enclave, row).outcome == .matched)
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .satisfied)
        try enclave.lock(store)
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .needs([.biometry]))
        let store = store
        reader.meanwhile.withLock { $0 = { try? enclave.lock(store) } }
        #expect(failure { _ = try match(enclave, row) }?.status == .interactionNotAllowed)
        #expect(try enclave.evaluate(row.question(in: one), in: store) == .needs([.biometry]))
    }

    @Test func whoWaitsForTheReaderMayGo() throws {
        let enclave = try start()
        let row = RowContext.sample(store, .biometryAny)
        enclave.matchTurn.withLock { $0 = true }
        let looks = Mutex(0)
        let reply = enclave.answer(MatchQuestion(row.question(in: one), in: store)) {
            looks.withLock {
                $0 += 1
                return $0 < 3
            }
        }
        let report = try reply.get()
        #expect(report.outcome == .withdrawn)
        enclave.matchTurn.withLock { $0 = false }
        #expect(try match(enclave, row).outcome == .matched)
    }
}
