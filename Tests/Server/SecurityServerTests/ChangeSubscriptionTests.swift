import ChatelaineModel
import Glibc
import Testing

@testable import ChatelaineIPC
@testable import SecurityServer

/// A subscriber is told of changes in its own groups only.
@Suite struct ChangeSubscriptionTests {
    private static let other: AccessGroup = "path:/usr/bin/false"
    private let changes = ChangeSubscriptions()
    private let user = geteuid()

    private func subscribe(
        pid: Int32, program: UInt64 = 1, groups: [AccessGroup] = [KeychainHome.group]
    ) throws -> ChangeSubscription {
        let slot = ConnectionSlot(socket: -1, pid: pid, uid: user, requests: RequestLimiter())
        slot.program = Program(device: 1, inode: program)
        try changes.subscribe(slot, WaitingHome.caller(groups: groups))
        return try #require(changes.list.member(of: slot))
    }

    @Test func thoseOfTheGroupAreTold() throws {
        let (own, both) = (try subscribe(pid: 1), try subscribe(pid: 2, groups: [KeychainHome.group, Self.other]))
        let foreign = try subscribe(pid: 3, groups: [Self.other])
        changes.note([KeychainHome.group], of: user, in: .default)
        #expect(own.queue.next() == ChangeNotification(number: 1, keychain: .default) && own.queue.next() == nil)
        #expect(both.queue.next() == ChangeNotification(number: 1, keychain: .default))
        #expect(foreign.queue.next() == nil)
        // A group of the same name in another user's keychain is another group.
        changes.note([KeychainHome.group], of: user + 1, in: .default)
        #expect(own.queue.next() == nil && both.queue.next() == nil)
        changes.noteEverything()
        #expect(own.queue.next() == ChangeNotification(number: 2, keychain: nil))
        #expect(foreign.queue.next() == ChangeNotification(number: 1, keychain: nil))
    }

    @Test func manyChangesAreOneNotification() throws {
        let subscription = try subscribe(pid: 1)
        let second = KeychainName.test("second")
        for _ in 0..<1000 { changes.note([KeychainHome.group], of: user, in: .default) }
        changes.note([KeychainHome.group], of: user, in: second)
        let told = [subscription.queue.next(), subscription.queue.next()]
        #expect(Set(told.compactMap { $0?.keychain }) == [.default, second])
        #expect(told.allSatisfy { $0?.number == 1001 } && subscription.queue.next() == nil)
        // The number of remembered keychains is limited. Beyond it, the notification covers everything.
        for number in 0...ChangeSubscription.rememberedKeychains {
            changes.note([KeychainHome.group], of: user, in: .test("k\(number)"))
        }
        #expect(subscription.queue.next()?.keychain == nil && subscription.queue.next() == nil)
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
        changes.list.leave(first.slot)
        #expect(!first.slot.isListening)
        _ = try subscribe(pid: 1000, program: 1000)
    }

    @Test func theyTakeNoPlaceOfOthers() throws {
        let connections = ConnectionLimiter()
        func admit(_ pid: Int32) -> ConnectionSlot? {
            guard case .slot(let slot) = connections.admit(socket: -1, pid: pid, uid: user) else { return nil }
            return slot
        }
        let slot = try #require(admit(1))
        try changes.subscribe(slot, WaitingHome.caller())
        for _ in 0..<SessionLimits.connectionsPerProcess { #expect(admit(1) != nil) }
        #expect(admit(1) == nil)
        // The subscriber's place is not given to others either.
        for pid in 0..<Int32(SessionLimits.connectionsPerUser) { _ = admit(1000 + pid) }
        #expect(!slot.isGivenAway)
    }

    @Test func theConnectionCarriesNothingElse() throws {
        let daemon = try WaitingHome()
        let connection = try TestConnection()
        #expect(try daemon.answer(SubscribeToChanges(), on: connection).status == .success)
        let subscription = try #require(daemon.services.changes.list.member(of: connection.slot))
        let work = Work<Void> { try subscription.queue.deliver(over: connection.server, untilEndOf: -1) {} }
        try daemon.home.add("account", "secret", to: .default)
        daemon.services.changes.note([KeychainHome.group], of: geteuid(), in: .default)
        #expect(try connection.notification() == ChangeNotification(number: 1, keychain: .default))
        try connection.send(ReadStatus())
        #expect(throws: FrameError.unexpected) { try work.value() }
    }

    @Test func whoIsNotWhatItWasIsToldNothing() throws {
        let connection = try TestConnection()
        try changes.subscribe(connection.slot, WaitingHome.caller())
        let subscription = try #require(changes.list.member(of: connection.slot))
        let work = Work<Void> {
            try subscription.queue.deliver(over: connection.server, untilEndOf: -1) { throw SessionError.otherGroups }
        }
        changes.note([KeychainHome.group], of: user, in: .default)
        #expect(throws: SessionError.otherGroups) { try work.value() }
    }

    /// A change by a caller with several groups is reported for the groups whose items it changed.
    @Test func onlyTouchedGroupsAreTold() throws {
        let daemon = try WaitingHome()
        let caller = WaitingHome.caller(groups: [KeychainHome.group, Self.other])
        daemon.caller.withLock { $0 = .success(caller) }
        try daemon.home.add("account", "secret", to: .default)
        func subscriber(_ group: AccessGroup, _ pid: Int32) throws -> ChangeSubscription {
            let slot = ConnectionSlot(socket: -1, pid: pid, uid: user, requests: RequestLimiter())
            try daemon.services.changes.subscribe(slot, WaitingHome.caller(groups: [group]))
            return try #require(daemon.services.changes.list.member(of: slot))
        }
        let (own, other) = (try subscriber(KeychainHome.group, 7), try subscriber(Self.other, 8))
        let connection = try TestConnection()
        let query = KeychainHome.password("account")
        var change = ItemChange()
        change.attributes[.label] = .text("label")
        #expect(try daemon.answer(UpdateItems(query, change), on: connection).status == .success)
        #expect(own.queue.next()?.number == 1 && other.queue.next() == nil)
        // A move changes both groups.
        change.accessGroup = Self.other
        #expect(try daemon.answer(UpdateItems(query, change), on: connection).status == .success)
        #expect(own.queue.next()?.number == 2 && other.queue.next()?.number == 1)
        #expect(try daemon.answer(DeleteItems(query), on: connection).status == .success)
        #expect(own.queue.next() == nil && other.queue.next()?.number == 2)
    }
}
