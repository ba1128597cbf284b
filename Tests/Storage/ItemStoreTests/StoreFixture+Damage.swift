import ChatelaineMemory
import ChatelaineModel
import Foundation
import GRDBSQLite
import Testing

@testable import ItemStore
@testable import StoreEngine

/// What disks and users do to a store.
extension StoreFixture {
    static let pageSize = 4096

    var log: String { database + "-wal" }
    var places: StorePlaces { StorePlaces(store: folder) }
    var snapshots: StoreSnapshots { StoreSnapshots(folder: folder) }

    /// Makes and closes a store with an item `svc` for each number, whose account and secret are that number.
    @discardableResult
    func fill(_ range: Range<Int> = 0..<40) throws -> StoreIdentifier {
        let store = try open()
        for index in range { try store.add(Self.item(index)) }
        return store.identifier
    }

    static func item(_ index: Int) -> NewItem { .password("svc", "\(index)", secret: "\(index)") }

    /// Writes to the database on a connection without our limits, as `sqlite3` would.
    func write(_ sql: String, to path: String? = nil) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(path ?? database, &handle) == SQLITE_OK)
        sqlite3_busy_timeout(handle, ReadConnection.busyTimeout)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        // SAFETY: the message lives until the next call.
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }

    /// Writes bytes over a file of the store.
    func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    func garblePage(_ number: Int, of path: String? = nil) throws {
        try overwrite(
            path ?? database, at: (number - 1) * Self.pageSize, with: (0..<Self.pageSize).map { UInt8($0 % 251) })
    }

    func truncate(_ path: String, to size: Int) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
    }

    func size(_ path: String) throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path)).count }

    /// The pages of a named tree, with the leaves after their root. No connection may have the store open.
    func pages(of name: String) throws -> [Int] {
        let reader = try ReadConnection(reading: database)
        let statement = try PreparedStatement(reader.handle, "SELECT pageno FROM dbstat WHERE name = '\(name)'")
        var pages: [Int] = []
        while try statement.step() { pages.append(Int(statement.integer(0))) }
        return pages
    }

    /// All accounts that a search finds with their secrets. Each secret must be that of its account.
    func accounts(_ store: ItemStore) throws -> Set<Int> {
        let everything = ItemQuery(itemClass: .genericPassword).with {
            $0.limit = .all
            $0.returns = [.data, .attributes]
        }
        var accounts: Set<Int> = []
        for item in try store.find(everything) {
            guard case .text(let account)? = item.attributes[.account] else { continue }
            #expect(item.password == account)
            if let number = Int(account) { accounts.insert(number) }
        }
        return accounts
    }

    /// Opens a damaged store and completes its recovery.
    func recovered() throws -> ItemStore {
        let store = try open()
        while try store.continueRecovery() {}
        return store
    }

    /// The folders that were set aside.
    func setAside() throws -> [String] {
        guard FileManager.default.fileExists(atPath: places.quarantine) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: places.quarantine).sorted()
    }

    /// The events in the list of losses.
    func listed() throws -> [String] {
        guard let text = try? String(contentsOfFile: places.losses, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["event"] as? String)
        }
    }

    func finished() -> RecoveryCounts? {
        events.withLock { events in
            for case .recoveryFinished(let counts) in events { return counts }
            return nil
        }
    }

    /// A copy of the folder while the store is open, as after a kill.
    func crashed() throws -> StoreFixture {
        try copied(suffix: "-crashed-" + UUID().uuidString)
    }
}

extension StoreFixture {
    func open(isDamaged: Bool) throws(KeychainError) -> ItemStore {
        try ItemStore(
            folder: folder, keys: keys, isDamaged: isDamaged,
            log: { [self] event in events.withLock { $0.append(event) } })
    }

    func restore(_ name: String, replacing store: ItemStore?) throws -> StoreSnapshots.Restoration {
        let draft = try snapshots.prepare(name, keys: keys)
        return try snapshots.activate(draft, replacing: store, log: { _ in })
    }

    /// The pages of the free list.
    func freePages() throws -> [Int] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database)))
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let trunk = number(32)
        guard trunk > 0 else { return [] }
        let start = (trunk - 1) * Self.pageSize
        return [trunk] + (0..<number(start + 4)).map { number(start + 8 + 4 * $0) }
    }
}

extension ItemChange {
    static func label(_ label: String) -> ItemChange {
        var change = ItemChange()
        change.attributes[.label] = .text(label)
        return change
    }

    static func secret(_ secret: String) -> ItemChange {
        var change = ItemChange()
        change.secret = SecretBytes(secret.utf8)
        return change
    }
}
