import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SecurityServer

/// Keychains are independent: an operation on one delays no request to another.
@Suite struct KeychainRegistryTests {
    private static let other = KeychainName.test("other")
    private let home: KeychainHome

    init() throws { home = try KeychainHome() }

    @Test func twoKeychainsAreOpenAtOnce() throws {
        try home.add("a", "in the default one", to: .default)
        try home.add("a", "in the other", to: Self.other)
        #expect(try home.secret(of: "a", in: .default) == "in the default one")
        #expect(try home.secret(of: "a", in: Self.other) == "in the other")
        #expect(home.registry.all.map(\.name) == [.default, Self.other])
        #expect(try home.slot(Self.other) === home.slot(Self.other))
        #expect(try home.slot(.default) === home.registry.default)
    }

    @Test func aLongOpeningDelaysNoOther() throws {
        let keys = try home.keys(of: Self.other)
        keys.gate.shut()
        let (home, other) = (home, Self.other)
        let opening = Work { try home.add("a", "late", to: other) }
        let waiting = Work { try home.secret(of: "b", in: other) }
        keys.gate.awaitSomebody()
        try home.add("a", "early", to: .default)
        #expect(try home.secret(of: "a", in: .default) == "early")
        // It does not delay requests to all keychains either.
        #expect(home.registry.all.count == 2)
        #expect(home.registry.isResponsive)
        #expect(try home.slot(Self.other).present == nil)
        #expect(!opening.isDone && !waiting.isDone)
        keys.gate.open()
        try opening.value()
        #expect(try waiting.value() == nil)
        #expect(try home.secret(of: "a", in: Self.other) == "late")
    }

    /// Whoever locks the keychain need not wait until it is open again, and does not pass it over.
    @Test func theStoreWithKeysIsKnownWhileItIsOpenedAnew() throws {
        try home.add("a", "b", to: Self.other)
        let slot = try home.slot(Self.other)
        let store = try slot.keychain().store.identifier
        #expect(slot.storeWithKeys == store)
        let database = home.store(of: Self.other) + "/items.db"
        try FileManager.default.copyItem(atPath: database, toPath: database + "-copy")
        try #require(rename(database + "-copy", database) == 0)
        let keys = try home.keys(of: Self.other)
        keys.gate.shut()
        let opening = Work { try slot.keychain().store.identifier }
        keys.gate.awaitSomebody()
        #expect(slot.present == nil && slot.storeWithKeys == store)
        keys.gate.open()
        #expect(try opening.value() == store)
        #expect(slot.present != nil && slot.storeWithKeys == store)
        home.registry.close(Self.other)
        #expect(slot.present == nil && slot.storeWithKeys == nil)
    }

    @Test func aRecoveryDelaysNoOther() throws {
        try home.add("a", "default", to: .default)
        for account in 0..<200 { try home.add("\(account)", "kept \(account)", to: Self.other) }
        // The keychain is closed, so that its log is in the database. The database then loses its first page.
        home.registry.close(Self.other)
        let database = open(home.store(of: Self.other) + "/items.db", O_WRONLY | O_CLOEXEC)
        try #require(database >= 0)
        let nonsense = [UInt8](repeating: 0x5A, count: 4096)
        #expect(pwrite(database, nonsense, nonsense.count, 0) == nonsense.count)
        close(database)

        let keys = try home.keys(of: Self.other)
        keys.gate.shut()
        let (home, other) = (home, Self.other)
        let found = Work { try home.secret(of: "150", in: other) }
        keys.gate.awaitSomebody()
        #expect(try home.secret(of: "a", in: .default) == "default")
        try home.add("b", "default", to: .default)
        #expect(!found.isDone)
        keys.gate.open()
        #expect(try found.value() == "kept 150")
        #expect(try home.slot(Self.other).keychain().store.statistics().recoveries == 1)
        #expect(try home.registry.default.keychain().store.statistics().recoveries == 0)
        #expect(try home.secret(of: "b", in: .default) == "default")
    }

    @Test func keychainsAreBounded() throws {
        for number in 1..<KeychainRegistry.maximumKeychains { _ = try home.slot(.test("k\(number)")) }
        let error = #expect(throws: KeychainError.self) { try home.registry.slot(Self.other) }
        #expect(error?.status == .notAvailable && error?.reason.contains("15 keychains") == true)
        // Open keychains can still be had, and a closed one makes room.
        _ = try home.slot(.test("k3"))
        _ = try home.slot(.default)
        home.registry.close(.test("k3"))
        try home.add("a", "b", to: Self.other)
    }

    @Test func aClosedKeychainOpensAnew() throws {
        try home.add("a", "b", to: Self.other)
        let slot = try home.slot(Self.other)
        let opened = try slot.keychain()
        let keys = try home.keys(of: Self.other)
        home.registry.close(Self.other)
        #expect(keys.closed.withLock { $0 } == [opened.store.identifier])
        #expect(slot.isOutdated(since: 0), "who is on the way asks once more")
        #expect(throws: KeychainError(.notAvailable, "")) { try slot.keychain() }
        #expect(try home.secret(of: "a", in: Self.other) == "b")
        home.registry.close(.default)
        try home.add("a", "the default one stays", to: .default)
    }

    /// Only the daemon decides whether the process then ends.
    @Test func otherFoldersInTheirPlaceAreAnOutcome() throws {
        home.isInPlace.store(false, ordering: .relaxed)
        #expect(throws: KeychainError(.notAvailable, "")) { try home.registry.default.keychain() }
        #expect(home.displacements.load(ordering: .relaxed) == 1)
        home.isInPlace.store(true, ordering: .relaxed)
        try home.add("a", "b", to: .default)
        // An open keychain continues to serve.
        home.isInPlace.store(false, ordering: .relaxed)
        #expect(try home.secret(of: "a", in: .default) == "b")
        #expect(home.displacements.load(ordering: .relaxed) == 1)
    }

    /// The store is gone from its path together with the daemon's folders: it is somewhere else, and not lost.
    @Test func aHomeThatWasMovedIsAnOutcome() throws {
        try home.add("a", "b", to: .default)
        let store = home.store(of: .default)
        try #require(rename(store, store + ".moved") == 0)
        let error = #expect(throws: KeychainError.self) { try home.registry.default.keychain() }
        #expect(error?.reason.contains("was taken away") == true && home.displacements.load(ordering: .relaxed) == 0)
        home.isInPlace.store(false, ordering: .relaxed)
        #expect(throws: KeychainError.self) { try home.registry.default.keychain() }
        #expect(home.displacements.load(ordering: .relaxed) == 0)
        home.isMoved.store(true, ordering: .relaxed)
        #expect(throws: KeychainError(.notAvailable, "")) { try home.registry.default.keychain() }
        #expect(home.displacements.load(ordering: .relaxed) == 1)
    }

    @Test func anotherStoreInItsPlaceIsAnotherEpoch() throws {
        try home.add("a", "first", to: Self.other)
        let slot = try home.slot(Self.other)
        let first = try slot.keychain()
        let folder = home.store(of: Self.other)
        #expect(rename(folder, folder + "-away") == 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try slot.keychain() }
        #expect(mkdir(folder, 0o700) == 0)
        try home.add("a", "x", to: .test("source"))
        home.registry.close(.test("source"))
        for name in TemporaryFolder.names(in: home.store(of: .test("source"))) {
            #expect(rename("\(home.store(of: .test("source")))/\(name)", "\(folder)/\(name)") == 0)
        }
        let second = try slot.keychain()
        #expect(second.epoch == first.epoch + 1 && second.store.identifier != first.store.identifier)
        // The custodian has released the former store.
        #expect(try home.keys(of: Self.other).closed.withLock { $0 } == [first.store.identifier])
    }

    @Test func aRestoredSnapshotIsAnotherEpoch() throws {
        try home.add("a", "b", to: .default)
        let slot = home.registry.default
        let before = try slot.keychain()
        let snapshot = try before.store.takeSnapshot(.request)
        _ = try slot.restore(snapshot.name)
        #expect(try slot.keychain().epoch == before.epoch + 1)
        #expect(try home.secret(of: "a", in: .default) == "b")
    }
}
