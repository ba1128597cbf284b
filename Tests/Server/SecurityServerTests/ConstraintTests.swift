import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Glibc
import ItemStore
import Sealing
import TestSupport
import Testing

@testable import SecurityServer

/// A request for a constrained item goes from the decision through the dialog to the key.
@Suite struct ConstraintTests {
    private let home: ConstraintHome
    private let connection: TestConnection
    private var person: TypingPerson { home.person }

    init() throws {
        home = try ConstraintHome()
        connection = try TestConnection()
    }

    private func typed(_ words: String...) { person.answers.withLock { $0 = words } }

    @Test func thePasscodeOpensForThatRequest() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        typed(ConstraintHome.passcode)
        let reply = try home.answer(row, on: connection)
        #expect(reply.status == .success && reply.secret == "opened")
        let question = try #require(person.questions.withLock { $0.first })
        guard case .passcode = question.proof else { throw CBORError.outOfRange }
        #expect(question.subject.text == "ada" && question.subject.use?.operation == .readSecret)
        // The second request has no proof, and so gets nothing.
        #expect(try home.answer(row, on: connection).status == .userCanceled)
        #expect(person.count == 2)
    }

    @Test func aWrongOneIsCountedAndOpensNothing() throws {
        let row = try home.row(ConstraintHome.constraints(.devicePasscode))
        typed("incorrect", "incorrect")
        for _ in 0..<2 { #expect(try home.answer(row, on: connection).status == .authFailed) }
        #expect(try home.enclave.passcodeReport(for: .agent, in: home.store).failures == 2)
    }

    @Test func theQueryDecidesWhetherAnybodyIsAsked() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence, delete: .always))
        #expect(try home.answer(row, .fail, on: connection).status == .interactionNotAllowed)
        // The item is left out, as if it did not match.
        let reply = try home.answer(row, .skip, on: connection)
        #expect(reply.status == .success && reply.secret == nil)
        #expect(person.count == 0)
    }

    /// Each call asks for the operation in its table, and for no more.
    @Test func operationsOfCalls() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        for operation in [RowOperation.readAttributes, .delete, .add] {
            #expect(try home.answer(operation, row, on: connection).status == .success)
        }
        #expect(person.count == 0)
        for operation in [RowOperation.readSecret, .update] {
            #expect(try home.answer(operation, row, on: connection).status == .userCanceled)
        }
        #expect(person.count == 2)
        let guarded = try home.row(ConstraintHome.constraints(.always, delete: .devicePasscode))
        #expect(try home.answer(.delete, guarded, on: connection).status == .userCanceled)
        typed(ConstraintHome.passcode)
        #expect(try home.answer(.delete, guarded, on: connection).status == .success)
        #expect(try home.answer(guarded, on: connection).secret == "opened")
        #expect(person.count == 4)
    }

    /// A proof on a connection counts there until the connection ends.
    @Test func aConnectionHasAContext() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        let authentication = ConnectionAuthentication(home.enclave)
        _ = authentication.begin()
        typed(ConstraintHome.passcode)
        for _ in 0..<3 {
            #expect(try home.answer(row, on: connection, authentication: authentication).secret == "opened")
        }
        #expect(person.count == 1)
        let other = ConnectionAuthentication(home.enclave)
        _ = other.begin()
        #expect(try home.answer(row, on: TestConnection(), authentication: other).status == .userCanceled)
        #expect(try home.answer(row, on: connection).status == .userCanceled)
        try home.enclave.lock(home.store)
        try home.passcode(UnlockStore(.agent, in: home.store), ConstraintHome.passcode)
        #expect(try home.answer(row, on: connection, authentication: authentication).status == .userCanceled)
        typed(ConstraintHome.passcode)
        #expect(try home.answer(row, on: connection, authentication: authentication).secret == "opened")
        authentication.end()
        #expect(authentication.context == nil)
        #expect(try home.answer(row, on: connection, authentication: authentication).status == .userCanceled)
    }

    /// The proofs of a request that leaves its connection end with it, and do not affect the connection.
    @Test func aRequestMayHaveAContextOfItsOwn() throws {
        let authentication = ConnectionAuthentication(home.enclave)
        let shared = authentication.begin()
        var request = RequestAuthentication(home.enclave, of: authentication)
        #expect(request.context() === shared)
        request.leaveConnection()
        let own = request.context()
        #expect(own !== shared && request.context() === own && authentication.context === shared)
        request.end()
        func isOpen(_ context: AuthenticationContext) -> Bool {
            do throws(KeychainError) {
                return try context.noting { () throws(KeychainError) in true }
            } catch { return false }
        }
        #expect(!isOpen(own) && isOpen(shared))
    }

    /// A claim that a user agreed opens nothing, because the custodian saw no passcode.
    @Test func anAnswerAloneOpensNothing() throws {
        person.lies.store(true, ordering: .relaxed)
        let row = try home.row(ConstraintHome.constraints(.userPresence, delete: .userPresence))
        for operation in [RowOperation.readSecret, .update, .delete] {
            #expect(try home.answer(operation, row, on: connection).status == .notAvailable)
        }
        #expect(person.count == 3 * Authorisation.maximumQuestions)
    }

    @Test func whatNothingSatisfiesIsRefused() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        try home.passcode(RemovePasscode(.agent, in: home.store), ConstraintHome.passcode)
        #expect(try home.answer(row, on: connection).status == .authFailed)
        #expect(try home.answer(row, .fail, on: connection).status == .authFailed)
        let reply = try home.answer(row, .skip, on: connection)
        #expect(reply.status == .success && reply.secret == nil)
        #expect(person.count == 0)
    }

    /// Events while the dialog is open count, because the request is carried out anew.
    @Test func whileTheDialogIsOpen() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        let home = home
        // The store is locked: the dialog's passcode proves presence, but unlocks nothing.
        person.before.withLock { $0 = { try home.enclave.lock(home.store) } }
        typed(ConstraintHome.passcode)
        #expect(try home.answer(row, on: connection).status == .interactionNotAllowed)
        person.before.withLock { $0 = {} }
        try home.passcode(UnlockStore(.agent, in: home.store), ConstraintHome.passcode)
        // The custodian is killed, and the next one is before the first unlock.
        person.before.withLock { $0 = { kill(home.enclave.pid, SIGKILL) } }
        typed(ConstraintHome.passcode)
        let status = try home.answer(row, on: connection).status
        #expect(status == .interactionNotAllowed || status == .userCanceled)
    }

    /// An answer that comes when no request waits any more leaves nothing behind.
    @Test func aRequestThatIsGoneIsForgotten() throws {
        let context = AuthenticationContext(home.enclave)
        let constraints = ConstraintHome.constraints(.userPresence)
        let use = KeyUse(
            ContextReference(number: context.number, principal: Bytes16(repeating: 1)), for: .decrypt)
        let question = AccessQuestion(use, constraints, groupDigest: Bytes16(repeating: 3))
        let checking = QuestionChecking(home.enclave, .items(question), in: home.store, noting: context)
        let pipe = try TestPipe(Array(ConstraintHome.passcode.utf8))
        #expect(try checking.standing().triesLeft == 5)
        guard case .right = try checking.check(pipe.reading) else { throw CBORError.outOfRange }
        #expect(try home.enclave.evaluate(question, in: home.store) == .satisfied)
        context.end()
        #expect(try home.enclave.evaluate(question, in: home.store) == .needs([.passcode]))
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try checking.check(pipe.reading) }
        // If both end at the same time, the later one discards the context.
        let late = AuthenticationContext(home.enclave)
        var lateQuestion = question
        lateQuestion.use.context.number = late.number
        let other = try TestPipe(Array(ConstraintHome.passcode.utf8))
        let home = home
        try late.noting { () throws(KeychainError) in
            _ = try home.enclave.call(ProveQuestion(lateQuestion, .agent, in: home.store), passcodes: [other.reading])
            late.end()
            let evaluation = try home.enclave.evaluate(lateQuestion, in: home.store)
            #expect(evaluation == .satisfied)
        }
        #expect(try home.enclave.evaluate(lateQuestion, in: home.store) == .needs([.passcode]))
    }

    @Test func aPasswordOfTheProgramsIsAskedFor() throws {
        let reference = ContextReference(number: .max, principal: Bytes16(repeating: 1))
        let pipe = try TestPipe(Array("open sesame".utf8))
        try home.enclave.setCredential(reference, from: pipe.reading, in: home.store)
        let row = try home.row(
            ConstraintHome.constraints(.always, password: true), for: KeyUse(reference, for: .encrypt))
        try home.enclave.setCredential(reference, from: nil, in: home.store)
        #expect(try home.answer(row, .fail, on: connection).status == .interactionNotAllowed)
        typed("open sesame")
        #expect(try home.answer(row, on: connection).secret == "opened")
        guard case .password(isNew: false, _)? = person.questions.withLock({ $0.last?.proof }) else {
            throw CBORError.outOfRange
        }
        typed("open says me")
        #expect(try home.answer(row, on: connection).status == .authFailed)
        // A caller that replaces the secret has to know the password as well, although nothing is read.
        typed("open says me")
        #expect(try home.answer(.update, row, on: connection).status == .authFailed)
        typed("open sesame")
        #expect(try home.answer(.update, row, on: connection).status == .success)
        typed()
        #expect(try home.answer(.add, row, on: connection).status == .userCanceled)
        guard case .password(isNew: true, _)? = person.questions.withLock({ $0.last?.proof }) else {
            throw CBORError.outOfRange
        }
        #expect(try home.enclave.passcodeReport(for: .agent, in: home.store).failures == 0)
    }

    /// A password that was mistyped on a connection is asked for again there, and one that opened the item is not.
    @Test func aMistypedPasswordIsAskedForAgain() throws {
        let reference = ContextReference(number: .max, principal: Bytes16(repeating: 1))
        let pipe = try TestPipe(Array("open sesame".utf8))
        try home.enclave.setCredential(reference, from: pipe.reading, in: home.store)
        let row = try home.row(
            ConstraintHome.constraints(.always, password: true), for: KeyUse(reference, for: .encrypt))
        let authentication = ConnectionAuthentication(home.enclave)
        _ = authentication.begin()
        typed("open says me")
        #expect(try home.answer(row, on: connection, authentication: authentication).status == .authFailed)
        typed("open sesame")
        for _ in 0..<2 {
            #expect(try home.answer(row, on: connection, authentication: authentication).secret == "opened")
        }
        #expect(person.count == 2)
        authentication.end()
    }

    /// The passcode is removed while a person is asked for it.
    @Test func aPasscodeThatIsGoneAnswersNothing() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        let home = home
        person.before.withLock {
            $0 = { try home.passcode(RemovePasscode(.agent, in: home.store), ConstraintHome.passcode) }
        }
        typed(ConstraintHome.passcode)
        #expect(try home.answer(row, on: connection).status == .authFailed)
        #expect(person.count == 1)
    }

    /// Rows are wrapped anew without a user when the store asks the key source.
    @Test func keysAreWrappedAnew() throws {
        let row = try home.row(ConstraintHome.constraints(.userPresence))
        let again = try #require(try home.keys.rewrapRowKeys([row], in: home.store).first).get()
        #expect(again.wrapped != row.wrapped && again.context == row.context)
        typed(ConstraintHome.passcode)
        #expect(try home.answer(again, on: connection).secret == "opened")
    }
}
