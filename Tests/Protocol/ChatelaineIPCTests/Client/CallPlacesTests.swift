import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Calls of which a process has a few under way at once, so that others find a connection.
struct CallPlacesTests {
    /// Sixteen evaluations wait for servers, and a password is found meanwhile.
    @Test func otherCallsDoNotWaitForEvaluations() throws {
        let (mayAnswer, condition) = (Flag(), NSCondition())
        let daemon = try FakeDaemon { _, request, channel in
            guard request.operation == .evaluateTrust else {
                return try FakeDaemon.succeed(channel) { KeychainClientTests.item.encode(to: &$0) }
            }
            condition.withLock { while !mayAnswer.isRaised { condition.wait() } }
            try FakeDaemon.fail(channel, .notAvailable, "a test says so")
        }
        let client = daemon.makeClient()
        let ended = Counter()
        for _ in 0..<ClientLimits.connections {
            Thread.detachNewThread {
                _ = try? client.evaluate(TrustQuestion([[0x30, 0]], policies: [TrustPolicy(.basic)]))
                ended.next()
            }
        }
        #expect(daemon.wait { $0.busy == ClientLimits.evaluations })
        #expect(try client.find(KeychainClientTests.query).count == 1)
        #expect(ended.value == 0 && daemon.requests.count == ClientLimits.evaluations + 1)
        condition.withLock { mayAnswer.raise() }
        condition.broadcast()
        try ended.wait(for: ClientLimits.connections)
        #expect(daemon.now.mostBusy <= ClientLimits.evaluations + 1)
        // With those that are kept for authentications some are left for other calls.
        #expect(ClientLimits.evaluations + ClientLimits.keptConnections < ClientLimits.connections)
    }
}
