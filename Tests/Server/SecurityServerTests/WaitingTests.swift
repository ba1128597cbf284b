import CallerIdentity
import ChatelaineMemory
import ChatelaineModel
import Glibc
import ItemStore
import Synchronization
import TestSupport
import Testing

@testable import ChatelaineIPC
@testable import SecurityServer

/// A request that needs a user waits for one, and delays nobody else meanwhile.
@Suite struct WaitingTests {
    private static let guarded = FakeDecider.guarded
    private let daemon: WaitingHome
    private let connection: TestConnection
    private var person: FakePerson { daemon.person }

    init() throws {
        daemon = try WaitingHome()
        connection = try TestConnection()
        try daemon.home.add(Self.guarded, "secret", to: .default)
        try daemon.home.add("open", "plain", to: .default)
    }

    @Test func whatNeedsNobodyIsAnsweredAtOnce() throws {
        let reply = try daemon.answer(WaitingHome.find("open"), on: connection)
        #expect(reply.status == .success && reply.secret == "plain")
        #expect(try daemon.answer(WaitingHome.find("none"), on: connection).status == .itemNotFound)
        #expect(person.count == 0 && daemon.services.inquiries.count == 0)
    }

    @Test func anAllowedRequestGoesOn() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        #expect(inquiry.question.subject.use?.operation == .readSecret && inquiry.question.keychain == .default)
        #expect(inquiry.question.subject.text == "the item “guarded”")
        #expect(inquiry.question.caller.executablePath.text == "/usr/bin/true")
        #expect(daemon.services.inquiries.count == 1)
        inquiry.answer(.allowed)
        let reply = try connection.reply()
        try work.value()
        #expect(reply.status == .success && reply.secret == "secret")
        #expect(person.count == 1 && daemon.services.inquiries.count == 0)
        // The permission was for that request alone.
        let next = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        person.question(2).answer(.denied)
        #expect(try connection.reply().status == .authFailed)
        try next.value()
    }

    /// A request whose question may be settled otherwise decides anew, and has no permission from that.
    @Test func itDecidesAnewWhenItIsToldTo() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        person.question(1).answer(.again)
        let second = person.question(2)
        daemon.decider.operations.withLock { $0 = [] }
        second.answer(.again)
        #expect(try connection.reply().secret == "secret")
        try work.value()
        #expect(person.count == 2)
    }

    @Test(arguments: [(PersonAnswer.denied, Status.authFailed), (.cancelled, .userCanceled)])
    func whatIsNotAllowedIsRefused(answer: PersonAnswer, status: Status) throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        person.question(1).answer(answer)
        let reply = try connection.reply()
        try work.value()
        #expect(reply.status == status && reply.secret == nil)
    }

    @Test func withoutAPersonTheCallFailsAtOnce() throws {
        let alone = try WaitingHome(hasPerson: false)
        try alone.home.add(Self.guarded, "secret", to: .default)
        #expect(try alone.answer(WaitingHome.find(Self.guarded), on: connection).status == .interactionNotAllowed)
        // The result is the same if the user cannot be asked now, and if the call forbids it.
        #expect(
            try daemon.answer(WaitingHome.find(Self.guarded, ui: .fail), on: connection).status
                == .interactionNotAllowed)
        person.leave()
        #expect(try daemon.answer(WaitingHome.find(Self.guarded), on: connection).status == .interactionNotAllowed)
        #expect(person.count == 0)
    }

    @Test func aSearchMayLeaveOutWhatNeedsAPerson() throws {
        #expect(try daemon.answer(WaitingHome.find(Self.guarded, ui: .skip), on: connection).status == .itemNotFound)
        var any = ItemQuery(itemClass: .genericPassword)
        any.returns = .data
        any.authenticationUI = .skip
        let reply = try daemon.answer(FindItems(any), on: connection)
        #expect(reply.status == .success && reply.secret == "plain", "another one takes its place under the limit")
        #expect(person.count == 0)
    }

    @Test func othersAreServedMeanwhile() throws {
        // The secret is so large that its answer needs a share of the memory for large answers.
        let large = String(repeating: "x", count: 2 * 1024 * 1024)
        try daemon.home.add(Self.guarded + "-large", large, to: .default)
        let work = daemon.begin(WaitingHome.find(Self.guarded + "-large"), on: connection)
        let inquiry = person.question(1)
        // The others are the same process, the same program, and another program.
        let same = try TestConnection(requests: connection.slot.requests)
        let sibling = try TestConnection(pid: 2)
        let stranger = try TestConnection(pid: 3, program: 2)
        for other in [same, sibling, stranger] {
            #expect(try daemon.answer(WaitingHome.find("open"), on: other).secret == "plain")
        }
        // The waiting request holds no turn, no share, and no lock of the store.
        try takeAllRequests(of: same.slot, RequestLimiter.maximum)
        let whole = try daemon.services.output.take(SessionLimits.bytesInFlight, for: stranger.slot, milliseconds: 0)
        daemon.services.output.give(back: whole)
        try daemon.set("open", to: "changed")
        #expect(try daemon.home.registry.default.keychain().store.takeSnapshot(.request).items == 3)
        #expect(!work.isDone)
        inquiry.answer(.allowed)
        #expect(try connection.reply().secret == large)
        try work.value()
    }

    private func takeAllRequests(of slot: ConnectionSlot, _ count: Int) throws {
        guard count > 0 else { return }
        try slot.requests.take(for: slot) { try takeAllRequests(of: slot, count - 1) }
    }

    @Test func theEndOfTheConnectionCancels() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        let isWithdrawn = Gate()
        isWithdrawn.shut()
        inquiry.whenWithdrawn { isWithdrawn.open() }
        connection.close()
        isWithdrawn.pass()
        #expect(throws: FrameError.closed) { try work.value() }
        #expect(daemon.services.inquiries.count == 0 && !connection.slot.isAsking)
        // The answer is late: no request waits for it, and later listeners are told at once.
        inquiry.answer(.allowed)
        isWithdrawn.shut()
        inquiry.whenWithdrawn { isWithdrawn.open() }
        isWithdrawn.pass()
    }

    @Test func aPlaceThatIsGivenAwayCancels() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        _ = person.question(1)
        connection.slot.end()
        #expect(throws: SessionError.givenAway) { try work.value() }
    }

    @Test func aChangedItemIsAskedAboutAgain() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let first = person.question(1)
        try daemon.set(Self.guarded, to: "another")
        first.answer(.allowed)
        let second = person.question(2)
        #expect(second.question.subject.use?.item == first.question.subject.use?.item)
        // A change of another item does not affect this request.
        try daemon.set("open", to: "whatever")
        second.answer(.allowed)
        #expect(try connection.reply().secret == "another")
        try work.value()
        #expect(person.count == 2)
    }

    @Test func anItemThatIsGoneIsNotFound() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        try daemon.home.registry.default.keychain().store.delete(
            KeychainHome.password(Self.guarded), groups: [KeychainHome.group], request: .random())
        inquiry.answer(.allowed)
        #expect(try connection.reply().status == .itemNotFound)
        try work.value()
    }

    @Test func aChangeIsCarriedOutInTheVersionThatWasAllowed() throws {
        var change = ItemChange()
        change.secret = SecretBytes(Array("mine".utf8))
        let number = RequestIdentifier()
        let update = UpdateItems(KeychainHome.password(Self.guarded), change, identifier: number)
        let work = daemon.begin(update, on: connection)
        let first = person.question(1)
        #expect(first.question.subject.use?.operation == .update)
        try daemon.set(Self.guarded, to: "theirs")
        first.answer(.allowed)
        // The request overwrites no intermediate change, and will not before a user allows it.
        let second = person.question(2)
        #expect(try daemon.home.secret(of: Self.guarded, in: .default) == "theirs")
        second.answer(.allowed)
        #expect(try connection.reply().status == .success)
        try work.value()
        #expect(try daemon.home.secret(of: Self.guarded, in: .default) == "mine")
        // The change has happened once. A repeated request gets its answer without a question.
        try daemon.set(Self.guarded, to: "later")
        #expect(try daemon.answer(update, on: connection).status == .success)
        #expect(person.count == 2)
        #expect(try daemon.home.secret(of: Self.guarded, in: .default) == "later")
    }

    @Test func aDeletionWaitsAsWell() throws {
        let delete = DeleteItems(KeychainHome.password(Self.guarded))
        let work = daemon.begin(delete, on: connection)
        let inquiry = person.question(1)
        #expect(inquiry.question.subject.use?.operation == .delete)
        #expect(try daemon.home.secret(of: Self.guarded, in: .default) == "secret")
        inquiry.answer(.allowed)
        #expect(try connection.reply().status == .success)
        try work.value()
        #expect(try daemon.home.secret(of: Self.guarded, in: .default) == nil)
    }

    @Test func whoExecutedSomethingSinceGetsNothing() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        daemon.change.withLock { $0 = .executableChanged }
        inquiry.answer(.allowed)
        #expect(throws: SessionError.executableChanged) { try work.value() }
        #expect(daemon.decider.decisions.withLock { $0 } == [.readSecret], "it was not even looked for again")
    }

    /// Decisions about programs count as they are after the wait.
    @Test func whoIsRefusedByThenIsRefused() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        daemon.caller.withLock { $0 = .success(WaitingHome.caller(state: .changed)) }
        inquiry.answer(.allowed)
        #expect(try connection.reply().status == .authFailed)
        try work.value()
    }

    /// The store has to be reopened during the second attempt, and the earlier answer counts.
    @Test func aSecondTryAsksNobody() throws {
        let slot = daemon.home.registry.default
        daemon.decider.before.withLock {
            $0 = { (number) throws(KeychainError) in
                guard number == 1 else { return }
                try slot.keychain().store.retire()
                throw KeychainError(.notAvailable, "the store went away")
            }
        }
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        person.question(1).answer(.allowed)
        let reply = try connection.reply()
        try work.value()
        #expect(reply.status == .success && reply.secret == "secret")
        #expect(person.count == 1 && slot.replacements == 1)
        #expect(daemon.decider.decisions.withLock { $0.count } == 3)
    }

    /// A version identifies a row only within one state of the keychain.
    @Test func aRestoredKeychainIsAskedAboutAgain() throws {
        let slot = daemon.home.registry.default
        let snapshot = try slot.keychain().store.takeSnapshot(.request)
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let first = person.question(1)
        _ = try slot.restore(snapshot.name)
        first.answer(.allowed)
        person.question(2).answer(.denied)
        #expect(try connection.reply().status == .authFailed)
        try work.value()
    }

    @Test func aKeychainInALongOpeningHoldsUpNoOther() throws {
        let keys = try daemon.home.keys(of: .default)
        let other = KeychainName.test("other")
        try daemon.home.add("a", "b", to: other)
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        let inquiry = person.question(1)
        try daemon.home.registry.default.keychain().store.retire()
        keys.gate.shut()
        inquiry.answer(.allowed)
        keys.gate.awaitSomebody()
        #expect(try daemon.home.secret(of: "a", in: other) == "b")
        keys.gate.open()
        #expect(try connection.reply().secret == "secret")
        try work.value()
    }

    @Test func questionsOfOneRequestAreBounded() throws {
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection)
        for number in 1...Authorisation.maximumQuestions {
            let inquiry = person.question(number)
            try daemon.set(Self.guarded, to: "\(number)")
            inquiry.answer(.allowed)
        }
        #expect(try connection.reply().status == .notAvailable)
        try work.value()
        #expect(person.count == Authorisation.maximumQuestions)
    }

    @Test func thoseWhoWaitAreBounded() throws {
        var waiting: [(TestConnection, Work<Void>)] = []
        for number in 1...SessionLimits.inquiriesPerProgram {
            let connection = try TestConnection(pid: Int32(number))
            waiting.append((connection, daemon.begin(WaitingHome.find(Self.guarded), on: connection)))
            _ = person.question(number)
        }
        #expect(try daemon.answer(WaitingHome.find(Self.guarded), on: connection).status == .notAvailable)
        // Another program has its own places, and the first program is served where it needs no user.
        let stranger = try TestConnection(pid: 99, program: 2)
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: stranger)
        person.question(SessionLimits.inquiriesPerProgram + 1).answer(.allowed)
        #expect(try stranger.reply().secret == "secret")
        try work.value()
        #expect(try daemon.answer(WaitingHome.find("open"), on: connection).secret == "plain")
        for number in 1...SessionLimits.inquiriesPerProgram { person.question(number).answer(.allowed) }
        for (connection, work) in waiting {
            #expect(try connection.reply().secret == "secret")
            try work.value()
        }
    }

    /// A program whose large requests wait leaves room for others, and for small requests of its own.
    @Test func aProgramLeavesMemoryToOthers() throws {
        let inquiries = daemon.services.inquiries
        let question = PersonQuestion(caller: WaitingHome.caller().identity, keychain: .default, subject: Presence())
        func begin(_ bytes: Int, program: UInt64) throws -> (TestConnection, Work<Result<PersonAnswer, KeychainError>>)
        {
            let connection = try TestConnection(pid: Int32(program), program: program)
            return (
                connection,
                Work {
                    try inquiries.ask(
                        question, for: connection.slot, over: connection.server.socket, keeping: bytes)
                }
            )
        }
        let large = FrameLimits.requestBytes
        var waiting = [try begin(large, program: 1)]
        _ = person.question(1)
        let refused = try begin(SessionLimits.smallFrame + 1, program: 1)
        #expect(throws: KeychainError(.notAvailable, "")) { try refused.1.value().get() }
        for (bytes, program) in [(large, 2), (large, 3), (SessionLimits.smallFrame, 1), (SessionLimits.smallFrame, 4)] {
            waiting.append(try begin(bytes, program: UInt64(program)))
            _ = person.question(waiting.count)
        }
        for number in 1...waiting.count { person.question(number).answer(.allowed) }
        for (_, work) in waiting { _ = try work.value().get() }
        #expect(inquiries.count == 0)
    }

    /// A child of the caller that has the socket, too, keeps no dialog of a caller that has ended.
    @Test func theEndOfTheProcessCancels() throws {
        let process = try TestPipe(isEnded: false)
        let work = daemon.begin(WaitingHome.find(Self.guarded), on: connection, until: process.reading)
        let inquiry = person.question(1)
        #expect(inquiry.isOpen)
        process.end()
        #expect(throws: FrameError.closed) { try work.value() }
        #expect(inquiry.isWithdrawn && daemon.services.inquiries.count == 0)
    }
}
