import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Calls of which a process has a few under way at once, so that others find a connection.
struct CallPlacesTests {
    @Test func moreThanThereArePlacesWait() throws {
        let pool = ConnectionPool()
        let (begun, ended, mayEnd) = (Counter(), Counter(), Flag())
        let monitor = Monitor()
        for _ in 0..<16 {
            Thread.detachNewThread {
                pool.evaluations.withPlace {
                    begun.next()
                    monitor.locked { while !mayEnd.isRaised { monitor.wait() } }
                }
                ended.next()
            }
        }
        try begun.wait(for: ClientLimits.evaluations)
        #expect(begun.value == ClientLimits.evaluations)
        monitor.locked { mayEnd.raise() }
        monitor.broadcast()
        try ended.wait(for: 16)
        #expect(begun.value == 16)
        // With those that are kept for authentications some are left for other calls.
        #expect(ClientLimits.evaluations + ClientLimits.keptConnections < ClientLimits.connections)
    }
}
