import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests of the connections that authentications keep, and of their calls that wait for a person.
struct KeptConnectionsTests {
    private static let evaluation = EvaluatePolicy(
        .deviceOwnerAuthentication, AuthenticationQuestion(reason: OperationPrompt("test")))
    private static let silent = EvaluatePolicy(
        .deviceOwnerAuthentication, AuthenticationQuestion(reason: OperationPrompt("test"), allowsInteraction: false))

    /// The person, who answers no evaluation before the test says so.
    private final class Person: Sendable {
        private let mayAnswer = Flag()
        private let condition = NSCondition()

        func answer() {
            condition.withLock { mayAnswer.raise() }
            condition.broadcast()
        }

        func await() { condition.withLock { while !mayAnswer.isRaised { condition.wait() } } }
    }

    private static func daemon(with person: Person) throws -> FakeDaemon {
        try FakeDaemon { _, request, channel in
            switch request.operation {
            case .evaluatePolicy:
                person.await()
                try FakeDaemon.succeed(channel) { AuthenticationOutcome.satisfied.encode(to: &$0) }
            case .find: try FakeDaemon.succeed(channel) { KeychainClientTests.item.encode(to: &$0) }
            default: try FakeDaemon.succeed(channel)
            }
        }
    }

    /// Begins an evaluation in each session.
    private static func evaluate(in sessions: [AuthenticationSession], _ ended: Counter) {
        for session in sessions {
            Thread.detachNewThread {
                _ = try? session.call(Self.evaluation)
                ended.next()
            }
        }
    }

    private static func evaluations(_ state: FakeDaemon.State) -> Int {
        state.requests.count { $0.operation == .evaluatePolicy }
    }

    @Test func whoWaitsForAPersonHoldsUpNoOtherSession() throws {
        let (person, ended) = (Person(), Counter())
        let daemon = try Self.daemon(with: person)
        let client = daemon.makeClient()
        let sessions = (0..<ClientLimits.keptConnections).map { _ in AuthenticationSession(client) }
        Self.evaluate(in: sessions, ended)
        #expect(daemon.wait { Self.evaluations($0) == sessions.count })
        let further = AuthenticationSession(client)
        for _ in 0..<3 { #expect(try further.find(KeychainClientTests.query).count == 1) }
        #expect(try client.find(KeychainClientTests.query).count == 1)
        #expect(ended.value == 0)
        person.answer()
        try ended.wait(for: sessions.count)
        // The further one has no connection left, and the client has one that is shared.
        #expect(daemon.wait { $0.open == sessions.count + 1 })
        for session in sessions { #expect(try session.call(Self.evaluation) == .satisfied) }
        // Now it takes the place of the session that was used longest ago, with the connection that was shared.
        #expect(try further.find(KeychainClientTests.query).count == 1)
        #expect(daemon.wait { $0.open == sessions.count })
    }

    /// All connections of the process are in use, and a session that waits for one is given up.
    @Test func aSessionThatWaitsForAConnectionCanBeEnded() throws {
        let (person, ended, givenUp) = (Person(), Counter(), Counter())
        let daemon = try Self.daemon(with: person)
        let client = daemon.makeClient()
        let sessions = (0..<ClientLimits.connections).map { _ in AuthenticationSession(client) }
        Self.evaluate(in: sessions, ended)
        #expect(daemon.wait { Self.evaluations($0) == sessions.count })
        let session = AuthenticationSession(client)
        let failure = Failure()
        Thread.detachNewThread {
            do throws(KeychainError) { _ = try session.call(Self.evaluation) } catch {
                failure.status.withLock { $0 = error.status }
            }
            givenUp.next()
        }
        try until { session.isInUse }
        session.invalidate()
        try givenUp.wait(for: 1)
        #expect(failure.status.withLock { $0 } == .authFailed && ended.value == 0)
        person.answer()
        try ended.wait(for: sessions.count)
        #expect(daemon.now.mostBusy == ClientLimits.connections)
    }

    private final class Failure: Sendable {
        let status = Mutex<Status?>(nil)
    }

    /// A person would see a second dialog for the same evaluation.
    @Test func anEvaluationThatWasSentIsNotSentAgain() throws {
        let daemon = try FakeDaemon { index, request, channel in
            guard index < 2, request.operation == .evaluatePolicy else {
                return try FakeDaemon.succeed(channel) {
                    if request.operation == .evaluatePolicy { AuthenticationOutcome.satisfied.encode(to: &$0) }
                }
            }
            throw FakeDaemon.Died()
        }
        let client = daemon.makeClient()
        let session = AuthenticationSession(client)
        let error = #expect(throws: KeychainError.self) { try session.call(Self.evaluation) }
        #expect(error?.status == .notAvailable && error?.reason.contains("a person may have been asked") == true)
        #expect(Self.evaluations(daemon.now) == 1)
        // The session goes on with a new connection.
        #expect(try session.call(Self.evaluation) == .satisfied)
        #expect(daemon.now.connections == 2)
    }

    /// Nobody was asked, so nobody is asked twice.
    @Test func anEvaluationThatAsksNobodyIsSentAgain() throws {
        let daemon = try FakeDaemon { index, _, channel in
            guard index > 0 else { throw FakeDaemon.Died() }
            try FakeDaemon.succeed(channel) { AuthenticationOutcome.notInteractive.encode(to: &$0) }
        }
        #expect(try daemon.makeClient().call(Self.silent) == .notInteractive)
        #expect(Self.evaluations(daemon.now) == 2)
    }

    /// A person may have typed a password in the session's context, of which the client does not know.
    @Test func aPasswordIsTakenAwayAfterAnyCall() throws {
        let daemon = try Self.daemon(with: Person())
        let client = daemon.makeClient()
        let removals = { daemon.requests.compactMap { $0 as? SetApplicationPassword }.filter { !$0.isPresent }.count }
        let session = AuthenticationSession(client)
        #expect(session.setPassword(nil))
        for _ in 0..<2 { _ = try session.find(KeychainClientTests.query) }
        #expect(removals() == 0, "there was none")
        #expect(session.setPassword(nil) && session.setPassword(nil))
        for _ in 0..<2 { _ = try session.find(KeychainClientTests.query) }
        #expect(removals() == 1)
    }
}
