import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A store in a folder of its own, with keys that outlive it.
final class StoreFixture: Sendable {
    static let group: AccessGroup = "test.group"

    let folder: String
    let keys: FakeKeySource
    let events = Mutex<[StoreEvent]>([])
    let time = Mutex<Double?>(nil)
    /// Seconds that have elapsed, independent of the time of day.
    let elapsed = Mutex<Double>(0)
    private let owned: TemporaryFolder?

    /// Uses a fresh folder, which is removed at the end, or `folder` as it stands.
    init(folder: String? = nil, keys: FakeKeySource = FakeKeySource()) {
        owned = folder == nil ? try? TemporaryFolder() : nil
        // If no folder can be made, the first opening fails.
        self.folder = folder ?? (owned?.path ?? "/nonexistent") + "/stores/login"
        self.keys = keys
    }

    func open() throws(KeychainError) -> ItemStore {
        try ItemStore(
            folder: folder, keys: keys,
            clock: clock, log: { [self] event in events.withLock { $0.append(event) } })
    }

    var clock: StoreClock {
        StoreClock { [self] in
            time.withLock { $0 } ?? StoreClock.system.now()
        } elapsed: { [self] in
            elapsed.withLock { $0 }
        }
    }

    var database: String { folder + "/items.db" }
    var mark: String { folder + ".mark" }

    /// The number of the last change in the mark.
    func marked() throws -> UInt64? { try HighWaterMark.claim(StorePlaces(store: folder))?.sequence }

    /// A copy of the store and its mark in another folder.
    func copied(suffix: String) throws -> StoreFixture {
        let copy = StoreFixture(folder: folder + suffix, keys: keys)
        try FileManager.default.copyItem(atPath: folder, toPath: copy.folder)
        try FileManager.default.copyItem(atPath: mark, toPath: copy.mark)
        try? FileManager.default.removeItem(atPath: copy.database + "-shm")
        return copy
    }

    /// All bytes that the store keeps on disk.
    func bytesOnDisk() throws -> Data {
        var all = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            all.append(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        }
        return all
    }

    func quarantined() -> [DamageReason] {
        events.withLock { $0.compactMap { if case .quarantined(_, _, let reason) = $0 { reason } else { nil } } }
    }
}

extension ChangeRequest {
    /// A request that was never made before.
    static func fresh(digest: UInt8 = 0) throws -> ChangeRequest {
        try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes, digest: Array(repeating: digest, count: 32))
    }
}

extension NewItem {
    /// The query for the item's attributes.
    var query: ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.attributes = attributes
        query.accessGroup = accessGroup
        query.synchronizable = isSynchronizable ? .synchronizable : .local
        query.accessibility = accessibility
        query.returns = returns
        return query
    }

    static func password(
        _ service: String? = nil, _ account: String? = nil, secret: String? = nil, returns: ReturnTypes = []
    ) -> NewItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = service.map { .text($0) }
        item.attributes[.account] = account.map { .text($0) }
        item.secret = secret.map { SecretBytes($0.utf8) }
        item.returns = returns
        return item
    }

    static func internet(_ server: String, _ account: String, secret: String? = nil) -> NewItem {
        var item = NewItem(itemClass: .internetPassword)
        item.attributes[.server] = .text(server)
        item.attributes[.account] = .text(account)
        item.secret = secret.map { SecretBytes($0.utf8) }
        return item
    }

    func with(_ change: (inout NewItem) -> Void) -> NewItem {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ItemQuery {
    static func password(
        _ service: String? = nil, _ account: String? = nil, returns: ReturnTypes = []
    ) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = service.map { .text($0) }
        query.attributes[.account] = account.map { .text($0) }
        query.returns = returns
        return query
    }

    static func internet(_ server: String, _ account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .internetPassword)
        query.attributes[.server] = .text(server)
        query.attributes[.account] = .text(account)
        return query
    }

    func with(_ change: (inout ItemQuery) -> Void) -> ItemQuery {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ItemChange {
    func with(_ change: (inout ItemChange) -> Void) -> ItemChange {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ItemStore {
    /// The number of the last change.
    func sequence() throws(KeychainError) -> UInt64 { try engine.sequence() }

    @discardableResult
    func add(_ item: NewItem, group: AccessGroup = StoreFixture.group) throws -> FoundItem {
        try add(item, group: group, request: .fresh())
    }

    func find(_ query: ItemQuery) throws -> [FoundItem] { try find(query, groups: [StoreFixture.group]) }

    func update(_ query: ItemQuery, _ change: ItemChange) throws {
        try update(query, change, groups: [StoreFixture.group], request: .fresh())
    }

    func delete(_ query: ItemQuery) throws { try delete(query, groups: [StoreFixture.group], request: .fresh()) }

    /// Changes the database as an attacker with the file, or a failing disk, might.
    func tamper(_ sql: String) throws {
        try writer.withDatabase { try $0.execute(sql: sql) }
    }

    func integer(_ sql: String) throws -> Int {
        try writer.withDatabase { try Int.fetchOne($0, sql: sql) ?? -1 }
    }
}

extension FoundItem {
    var password: String? { secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } }
}

/// Checks that a call fails with a status.
func expect(
    _ status: Status, _ body: () throws -> Void, location: SourceLocation = #_sourceLocation
) {
    #expect(throws: KeychainError(status, ""), sourceLocation: location) { try body() }
}
