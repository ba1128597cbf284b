import CallerIdentity
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import GRDBSQLite
import InProcess
import ItemStore
import StoreEngine
import StoredHomes

/// Makes one home, and records the answers that it must give in the end.
final class Maker {
    static let group = "fixtures.first"
    static let otherGroup = "fixtures.second"
    /// 22 November 2026, in seconds since 2001.
    private static let start: Double = 817_000_000

    let path: String
    private(set) var expected: ExpectedHome
    private var home: InProcessHome?
    private var time = Maker.start

    struct Failed: Error { let what: String }

    init(_ path: String, about: String) throws {
        self.path = path
        expected = ExpectedHome(about: about, time: Self.start)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    var store: String { path + "/data/stores/default" }
    var database: String { store + "/items.db" }

    /// The home; opens it if it is not open.
    func opened() -> InProcessHome {
        if let home { return home }
        let opened = InProcessHome(path, time: time)
        home = opened
        return opened
    }

    /// Ends both daemons cleanly.
    func end() {
        if let home { time = home.now }
        home = nil
    }

    /// Ends both daemons at once: the files stay as they are, with the log.
    func crash() throws {
        let files = FileManager.default
        let copy = path + ".crashed"
        try files.copyItem(atPath: path, toPath: copy)
        end()
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: copy, toPath: path)
        try? files.removeItem(atPath: database + "-shm")
    }

    /// Ends the daemons, and returns the final state with which the test compares the home.
    func finished() -> ExpectedHome {
        end()
        expected.time = time
        expected.items.sort { $0.identifier < $1.identifier }
        return expected
    }

    func expect(_ change: (inout ExpectedHome) -> Void) { change(&expected) }

    // MARK: What programs do

    struct Draft {
        var group = Maker.group
        var itemClass = ItemClass.genericPassword
        var accessible = Accessibility.whenUnlocked
        var isSynchronizable = false
        var attributes: [AttributeKey: AttributeValue] = [:]
        var secret: String?
        /// The flags of an access control.
        var flags: AccessControlFlags?
        /// The application password, where the flags require one.
        var password: String?
    }

    /// Adds a password of a service.
    func add(_ service: String, _ account: String, _ secret: String?, _ change: (inout Draft) -> Void = { _ in })
        throws
    {
        var item = Draft(attributes: [.service: .text(service), .account: .text(account)], secret: secret)
        change(&item)
        try add(item)
    }

    func add(_ item: Draft) throws {
        var new = NewItem(itemClass: item.itemClass)
        for (key, value) in item.attributes { new.attributes[key] = value }
        new.accessibility = item.accessible
        new.isSynchronizable = item.isSynchronizable
        new.constraints = try item.flags.map { try AccessConstraints($0) }
        new.secret = item.secret.map { SecretBytes($0.utf8) }
        new.returns = [.data, .attributes]
        let (caller, number) = (ItemIdentifier().bytes, ItemIdentifier().bytes)
        let request = try ChangeRequest(
            name: caller + number,
            digest: [UInt8](repeating: 7, count: ChangeRequest.digestByteCount))
        let added = try opened().opened().add(
            new, group: AccessGroup(item.group), request: request, use: try use(for: item))
        // The added item has the defaults of its class.
        guard var described = ExpectedHome.Item(added) else { throw Failed(what: "an item without a group") }
        described.password = item.password
        expected.items.append(described)
        expected.requests.append(
            ExpectedHome.Request(
                caller: ExpectedHome.hexadecimal(caller), identifier: ExpectedHome.hexadecimal(number),
                digest: ExpectedHome.hexadecimal(request.digest), item: described.identifier))
    }

    /// Makes a context of the custodian with the item's password; none for an item without constraints.
    private func use(for item: Draft) throws -> KeyUser {
        guard item.flags != nil else { return { _ in nil } }
        let context = ContextReference(number: 1, principal: Bytes16(repeating: 1))
        let store = try opened().opened().identifier
        if let password = item.password {
            _ = try opened().ask(SetCredential(context, isPresent: true, in: store), password)
        }
        return { KeyUse(context, for: $0) }
    }

    /// Sets the first passcode, and starts daemons anew, which seal the stored items under the new keys.
    func setPasscode(_ passcode: String) throws {
        let store = try opened().opened().identifier
        try unlock(SetPasscode(store), passcode)
        expected.passcode = passcode
        end()
        try unlock(UnlockStore(.agent, in: store), passcode)
        while try opened().opened().continueResealing() {}
        // The last step of resealing replaces all former snapshots with one under the new keys.
        expected.snapshots = try opened().snapshots.list().map {
            ExpectedHome.Snapshot(name: $0.name, items: $0.items, sequence: $0.sequence)
        }
    }

    private func unlock(_ request: some EnclavePasscodeRequest, _ passcode: String) throws {
        guard try opened().outcome(request, passcode) == .done else { throw Failed(what: "the passcode is not taken") }
    }

    func update(_ service: String, _ account: String, secret: String? = nil, label: String? = nil) throws {
        var change = ItemChange()
        change.secret = secret.map { SecretBytes($0.utf8) }
        if let label { change.attributes[.label] = .text(label) }
        try opened().opened().update(
            try Self.query(service, account), change, groups: [AccessGroup(Self.group)], request: Self.request())
        let index = try index(service, account)
        if let secret { expected.items[index].secret = secret }
        if let label { expected.items[index].attributes["labl"] = .text(label) }
    }

    func delete(_ service: String, _ account: String) throws {
        try opened().opened().delete(
            try Self.query(service, account), groups: [AccessGroup(Self.group)], request: Self.request())
        let item = expected.items.remove(at: try index(service, account))
        if item.isSynchronizable { expected.tombstones += 1 }
    }

    func forget(_ service: String, _ account: String) throws {
        expected.items.remove(at: try index(service, account))
    }

    private func index(_ service: String, _ account: String) throws -> Int {
        guard
            let index = expected.items.firstIndex(where: {
                $0.attributes["svce"] == .text(service) && $0.attributes["acct"] == .text(account)
            })
        else { throw Failed(what: "no item \(service) \(account)") }
        return index
    }

    private static func query(_ service: String, _ account: String) throws -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(service)
        query.attributes[.account] = .text(account)
        query.synchronizable = .any
        return query
    }

    private static func request() throws -> ChangeRequest {
        try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes,
            digest: [UInt8](repeating: 2, count: ChangeRequest.digestByteCount))
    }

    func pin(_ program: String, _ number: UInt8) throws {
        guard let digest = ExecutableDigest([UInt8](repeating: number, count: 32)), let path = CanonicalPath(program)
        else { return }
        try opened().programs().pin(path, digest: digest)
        expected.programs.append(program)
    }

    func takeSnapshot() throws {
        let snapshot = try opened().opened().takeSnapshot(.request)
        expected.snapshots.insert(
            ExpectedHome.Snapshot(name: snapshot.name, items: snapshot.items, sequence: snapshot.sequence), at: 0)
    }

    // MARK: What disks and people do

    /// Runs SQL on the database, which no process has open, and moves the log into it.
    func sql(_ text: String = "") throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open(database, &handle) == SQLITE_OK,
            sqlite3_exec(handle, text + "; PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil) == SQLITE_OK
        else { throw Failed(what: "SQL: \(text)") }
    }

    func overwrite(_ path: String, at offset: UInt64, with bytes: [UInt8]) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw Failed(what: path) }
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    func garblePage(_ number: Int) throws {
        try overwrite(database, at: UInt64(number - 1) * 4096, with: (0..<4096).map { UInt8($0 % 251) })
    }

    /// Makes changes that the mark does not record, as after a power cut.
    func withoutMarking(_ change: () throws -> Void) throws {
        end()
        let mark = path + "/state/stores/default.mark"
        let before = try Data(contentsOf: URL(fileURLWithPath: mark))
        try change()
        end()
        try overwrite(mark, at: 0, with: Array(before))
    }

    /// Makes changes, and then restores the former store, so that the mark is ahead of it.
    func losing(_ change: () throws -> Void) throws {
        end()
        let (kept, files) = (store + ".kept", FileManager.default)
        try files.copyItem(atPath: store, toPath: kept)
        let known = expected
        try change()
        end()
        try files.removeItem(atPath: store)
        try files.moveItem(atPath: kept, toPath: store)
        (expected.items, expected.requests) = (known.items, known.requests)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
    func move(_ path: String, to other: String) throws { try FileManager.default.moveItem(atPath: path, toPath: other) }
}
