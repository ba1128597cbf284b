import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Calls of which a process has a few under way at once, so that others find a connection.
struct CallPlacesTests {
    private static let trusted: ItemQuery = {
        var query = ItemQuery(itemClass: .certificate)
        query.certificateTerms.isTrustedOnly = true
        return query
    }()

    /// Whatever takes long, sixteen times, and a password is found meanwhile.
    @Test(arguments: ["an evaluation", "a search", "a search in file keychains", "a search in a session", "a key"])
    func otherCallsDoNotWaitForLongOnes(_ kind: String) throws {
        let (mayAnswer, condition) = (Flag(), NSCondition())
        let daemon = try FakeDaemon { _, request, channel in
            guard request.work == .long else {
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
        #expect(daemon.wait { $0.busy == ClientLimits.longCalls })
        #expect(try client.find(KeychainClientTests.query).count == 1)
        #expect(ended.value == 0 && daemon.requests.filter { $0.work == .long }.count == ClientLimits.longCalls)
        condition.withLock { mayAnswer.raise() }
        condition.broadcast()
        try ended.wait(for: ClientLimits.connections)
        #expect(daemon.now.mostBusy <= ClientLimits.longCalls + 1)
        // With those that are kept for authentications some are left for other calls.
        #expect(ClientLimits.longCalls + ClientLimits.keptConnections < ClientLimits.connections)
    }
}
