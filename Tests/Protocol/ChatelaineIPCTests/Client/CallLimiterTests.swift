import ChatelaineModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests that a process has only a few long calls at a time, so that other calls find a connection.
struct CallLimiterTests {
    private static let trusted: ItemQuery = {
        var query = ItemQuery(itemClass: .certificate)
        query.certificateTerms.isTrustedOnly = true
        return query
    }()

    private final class Failure: Sendable {
        let status = Mutex<Status?>(nil)
    }

    /// The creation of a key may wait for a dialog, and a search for trusted certificates may take a minute.
    @Test func evaluationsDoNotWaitForWhatTakesLongest() throws {
        let (mayAnswer, condition) = (Flag(), NSCondition())
        let daemon = try FakeDaemon { _, request, channel in
            if request.work == .longest { condition.withLock { while !mayAnswer.isRaised { condition.wait() } } }
            try FakeDaemon.fail(channel, .notAvailable, "a test says so")
        }
        let client = daemon.makeClient()
        let ended = Counter()
        for _ in 0..<ClientLimits.longestCalls {
            Thread.detachNewThread {
                _ = try? client.find(Self.trusted)
                ended.next()
            }
        }
        #expect(daemon.wait { $0.busy == ClientLimits.longestCalls })
        #expect(throws: KeychainError(.notAvailable, "")) {
            try client.evaluate(TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.basic)]))
        }
        // An abandoned session stops waiting, whatever the others do.
        let session = AuthenticationSession(client)
        let (failure, givenUp) = (Failure(), Counter())
        Thread.detachNewThread {
            do throws(KeychainError) { _ = try session.find(Self.trusted) } catch {
                failure.status.withLock { $0 = error.status }
            }
            givenUp.next()
        }
        try until { session.isInUse }
        session.invalidate()
        try givenUp.wait(for: 1)
        #expect(failure.status.withLock { $0 } == .authFailed && ended.value == 0)
        condition.withLock { mayAnswer.raise() }
        condition.broadcast()
        try ended.wait(for: ClientLimits.longestCalls)
    }

    /// Sixteen long calls of a kind are under way, and a password is still found.
    @Test(arguments: ["an evaluation", "a search", "a search in file keychains", "a search in a session", "a key"])
    func otherCallsDoNotWaitForLongOnes(_ kind: String) throws {
        let (mayAnswer, condition) = (Flag(), NSCondition())
        let daemon = try FakeDaemon { _, request, channel in
            guard [.long, .longest].contains(request.work) else {
                guard request.operation == .find else { return try FakeDaemon.succeed(channel) }
                return try FakeDaemon.succeed(channel) { KeychainClientTests.item.encode(to: &$0) }
            }
            condition.withLock { while !mayAnswer.isRaised { condition.wait() } }
            try FakeDaemon.fail(channel, .notAvailable, "a test says so")
        }
        let client = daemon.makeClient()
        let call: @Sendable () throws -> Void = {
            switch kind {
            case "a search": _ = try client.find(Self.trusted)
            case "a search in file keychains": _ = try client.find(Self.trusted, in: KeychainScope())
            case "a search in a session": _ = try AuthenticationSession(client).find(Self.trusted)
            case "a key":
                _ = try client.makeKey(NewKeyPair(kind: .rsa, bits: 2048, privateKey: NewItem(itemClass: .key)))
            default: _ = try client.evaluate(TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.basic)]))
            }
        }
        let ended = Counter()
        for _ in 0..<ClientLimits.connections {
            Thread.detachNewThread {
                try? call()
                ended.next()
            }
        }
        let most = kind == "an evaluation" ? ClientLimits.longCalls : ClientLimits.longestCalls
        // A session begins with a short request, which keeps the daemon busy for a moment as well.
        #expect(daemon.wait { $0.requests.filter { $0.work != .none }.count == most })
        #expect(try client.find(KeychainClientTests.query).count == 1)
        #expect(ended.value == 0 && daemon.requests.filter { $0.work != .none }.count == most)
        condition.withLock { mayAnswer.raise() }
        condition.broadcast()
        try ended.wait(for: ClientLimits.connections)
        #expect(daemon.now.mostBusy <= most + 1)
        // Even with the connections that authentications keep, some are left for other calls.
        #expect(
            ClientLimits.longCalls + ClientLimits.longestCalls + ClientLimits.keptConnections < ClientLimits.connections
        )
    }
}
