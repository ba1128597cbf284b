import ChatelaineModel
import Glibc
import Testing

@testable import ChatelaineIPC
@testable import SecurityServer

/// Subscribers are told of events of file keychains, and slow ones cost little.
@Suite struct KeychainEventTests {
    private let events = KeychainEventSubscriptions()

    private func subscribe(pid: Int32, program: UInt64 = 1) throws -> ConnectionSlot {
        let slot = ConnectionSlot(socket: -1, pid: pid, uid: geteuid(), requests: RequestLimiter())
        slot.program = Program(device: 1, inode: program)
        try events.subscribe(slot)
        return slot
    }

    @Test func everybodyIsToldWhoeverIsTheReason() throws {
        let queues = [try subscribe(pid: 1), try subscribe(pid: 2, program: 2)].map {
            events.list.member(of: $0)?.queue
        }
        Originator.$pid.withValue(77) { events.post(.locked, of: "/a") }
        events.post(.unlocked, of: "/a")
        Originator.$pid.withValue(77) { Originator.asDaemon { events.post(.listChanged, of: nil) } }
        for queue in queues {
            #expect(queue?.next() == KeychainEvent(.locked, keychain: "/a", pid: 77))
            #expect(queue?.next() == KeychainEvent(.unlocked, keychain: "/a", pid: 0))
            #expect(queue?.next() == .anything && queue?.next() == nil)
        }
    }

    @Test func placesAreCountedApart() throws {
        let first = try subscribe(pid: 1)
        #expect(throws: KeychainError(.notAvailable, "")) { try subscribe(pid: 1) }
        for pid in 2...Int32(SessionLimits.subscriptionsPerProgram) { _ = try subscribe(pid: pid) }
        #expect(throws: KeychainError(.notAvailable, "")) { try subscribe(pid: 100) }
        for pid in 100..<Int32(100 + SessionLimits.subscriptionsPerUser - SessionLimits.subscriptionsPerProgram) {
            _ = try subscribe(pid: pid, program: UInt64(pid))
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try subscribe(pid: 1000, program: 1000) }
        // Subscriptions of the other kind are not affected, even when one of them leaves.
        let changes = ChangeSubscriptions()
        changes.list.leave(first)
        #expect(first.isListening)
        events.list.leave(first)
        #expect(!first.isListening)
        _ = try subscribe(pid: 1000, program: 1000)
    }

    @Test func theConnectionCarriesNothingElse() throws {
        let daemon = try WaitingHome()
        let connection = try TestConnection()
        #expect(try daemon.answer(SubscribeToKeychainEvents(), on: connection).status == .success)
        let queue = try #require(daemon.services.keychainEvents.list.member(of: connection.slot)?.queue)
        let work = Work<Void> { try queue.deliver(over: connection.server, untilEndOf: -1) {} }
        try connection.send(ReadStatus())
        #expect(throws: FrameError.unexpected) { try work.value() }
    }
}
