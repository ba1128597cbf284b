import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import GRDBSQLite
import ItemStore
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// The daemon carries out requests about the whole store, with a real enclaved that checks the passcode.
@Suite struct StoreHandlerTests {
    private static let accounts = ["ada", "bob"]

    /// A daemon whose default keychain has two passwords.
    private func home(hasPasscode: Bool = false) throws -> ConstraintHome {
        let home = try ConstraintHome(hasPasscode: hasPasscode)
        for account in Self.accounts { try add(account, in: home) }
        return home
    }

    private func add(_ account: String, in home: ConstraintHome) throws {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes = KeychainHome.password(account).attributes
        item.secret = SecretBytes("secret".utf8)
        _ = try home.services.keychains.default.keychain().store.add(
            item, group: KeychainHome.group, request: .random())
    }

    private func accounts(in home: ConstraintHome) throws -> [String] {
        var query = ItemQuery(itemClass: .genericPassword)
        (query.limit, query.returns) = (.all, .attributes)
        return try home.services.keychains.default.keychain().store.find(query, groups: [KeychainHome.group])
            .compactMap { item in
                guard case .text(let account)? = item.attributes[.account] else { return nil }
                return account
            }.sorted()
    }

    private func carryOut<Message: RequestMessage>(
        _ request: Message, in services: Services, as caller: Caller = WaitingHome.caller(),
        _ body: (Message, inout RequestContext) throws(KeychainError) -> Message.Reply
    ) throws -> Message.Reply {
        let connection = try TestConnection()
        var context = RequestContext(
            services: services, slot: connection.slot, channel: connection.server,
            frame: UnsafeRawBufferPointer(start: nil, count: 0)
        ) { () throws(KeychainError) in caller }
        try context.prepare(for: request)
        return try body(request, &context)
    }

    @discardableResult
    private func snapshots(
        _ command: SnapshotCommand, _ passcode: String? = nil, in home: ConstraintHome
    ) throws -> [SnapshotRecord] {
        let pipe = try passcode.map { try TestPipe(Array($0.utf8)) }
        let given = pipe.map { GivenPasscode(origin: .agent, store: home.store, files: [$0.reading]) }
        defer { withExtendedLifetime(pipe) {} }
        return try carryOut(command, in: home.services) { (command, context) throws(KeychainError) in
            try StoreHandler.snapshots(command, given, &context)
        }
    }

    private func losses(_ services: Services, as caller: Caller = WaitingHome.caller()) throws -> LossSummary {
        try carryOut(LossCommand.show(), in: services, as: caller, StoreHandler.losses)
    }

    // MARK: Snapshots

    @Test func oneIsTakenListedAndRestored() throws {
        let home = try home()
        #expect(try snapshots(.list(), in: home).isEmpty)
        let taken = try #require(try snapshots(.take(), in: home).first)
        #expect(taken.items == 2 && taken.replaced == nil)
        #expect(try snapshots(.list(), in: home) == [taken])
        try add("cid", in: home)
        let restored = try #require(try snapshots(.restore(name: taken.name), in: home).first)
        // The reply names the place of the replaced store.
        #expect(restored.name == taken.name && restored.replaced != nil)
        #expect(try accounts(in: home) == Self.accounts)
    }

    @Test func theyAreDeletedByNameAndAllButTheNewest() throws {
        let home = try home()
        var names: [String] = []
        for account in ["cid", "dan", "eve"] {
            try add(account, in: home)
            names += try snapshots(.take(), in: home).map(\.name)
        }
        #expect(try snapshots(.delete(name: names[1]), in: home).map(\.name) == [names[1]])
        #expect(try snapshots(.deleteAll(kept: 1), in: home).map(\.name) == [names[0]])
        #expect(try snapshots(.list(), in: home).map(\.name) == [names[2]])
        // The number is more than there can be.
        #expect(try snapshots(.deleteAll(kept: .max), in: home).isEmpty)
        #expect(try snapshots(.deleteAll(kept: 0), in: home).map(\.name) == [names[2]])
        #expect(try snapshots(.list(), in: home).isEmpty)
    }

    @Test(arguments: ["none", "", "../default", "2026-01-01T00-00-00Z"]) func anUnknownNameIsNone(name: String) throws {
        let home = try home()
        try snapshots(.take(), in: home)
        for command in [SnapshotCommand.restore(name: name), .delete(name: name)] {
            #expect(throws: KeychainError(.itemNotFound, "")) { try snapshots(command, in: home) }
        }
        #expect(try snapshots(.list(), in: home).count == 1)
        #expect(try accounts(in: home) == Self.accounts)
    }

    /// Requests that replace or delete copies need the right passcode (behaviour/security-command.md, 13).
    @Test func whereThereIsAPasscodeItIsTaken() throws {
        let home = try home(hasPasscode: true)
        let taken = try #require(try snapshots(.take(), in: home).first)
        try add("cid", in: home)
        let guarded = [SnapshotCommand.restore(name: taken.name), .delete(name: taken.name), .deleteAll(kept: 0)]
        for command in guarded {
            #expect(throws: KeychainError(.authFailed, "")) { try snapshots(command, in: home) }
        }
        #expect(throws: KeychainError(.authFailed, "")) { try snapshots(guarded[0], "wrong", in: home) }
        #expect(try snapshots(.list(), in: home) == [taken])
        #expect(try accounts(in: home) == Self.accounts + ["cid"])
        #expect(try snapshots(guarded[0], ConstraintHome.passcode, in: home).map(\.name) == [taken.name])
        #expect(try accounts(in: home) == Self.accounts)
        #expect(try snapshots(guarded[1], ConstraintHome.passcode, in: home).map(\.name) == [taken.name])
    }

    /// What counts is the keychain that the request found open, whatever happens to it meanwhile.
    @Test func aKeychainThatGoesAwayMeanwhileNeedsThePasscodeAllTheSame() throws {
        let home = try home(hasPasscode: true)
        let slot = home.services.keychains.default
        #expect(throws: KeychainError.self) {
            try carryOut(SettingsCommand.setIdleTimeout(77), in: home.services) {
                (command, context) throws(KeychainError) in
                slot.close()
                return try DeviceHandler.settings(command, nil, &context)
            }
        }
        #expect(try home.services.settings.read().idleTimeout == 0)
    }

    @Test func aDamagedOneIsNotRestored() throws {
        let home = try home()
        let taken = try #require(try snapshots(.take(), in: home).first)
        let database = "\(home.folder.path)/stores/default.snapshots/\(taken.name)/items.db"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        bytes.replaceSubrange(0..<100, with: Data(repeating: 0x5A, count: 100))
        try bytes.write(to: URL(fileURLWithPath: database))
        try add("cid", in: home)
        #expect(throws: KeychainError(.notAvailable, "")) { try snapshots(.restore(name: taken.name), in: home) }
        #expect(try accounts(in: home) == Self.accounts + ["cid"])
        // A user may delete the snapshot all the same.
        #expect(try snapshots(.delete(name: taken.name), in: home).map(\.name) == [taken.name])
    }

    // MARK: Losses

    /// Every caller may know that an item was damaged, but only its owner learns its name.
    @Test func whoIsRefusedKnowsNoNames() throws {
        let home = try WaitingHome()
        try home.home.add("ada", "secret", to: .default)
        try damage(home.home.store(of: .default) + "/items.db")
        // A read after a change also sees changes of others.
        try home.home.add("bob", "secret", to: .default)
        #expect(try home.home.secret(of: "ada", in: .default) == nil)
        let own = try losses(home.services)
        #expect(own.total == 1 && own.setAside.map { $0.attributes[.account] } == [.text("ada")])
        for caller in [WaitingHome.caller(state: .changed), WaitingHome.caller(groups: ["another.group"])] {
            let other = try losses(home.services, as: caller)
            #expect(other.total == 1 && other.setAside.count == 1)
            #expect(other.setAside.allSatisfy { $0.attributes.isEmpty && $0.itemClass == .genericPassword })
            #expect(other.missing == own.missing)
        }
    }

    /// Damages the items as a failing disk does.
    private func damage(_ database: String) throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let sql = "UPDATE items SET secret = zeroblob(100)"
        guard sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
            sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK
        else { throw SystemError("damaging a row") }
    }
}
