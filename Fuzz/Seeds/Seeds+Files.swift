import ChatelaineMemory
import ChatelaineModel
import GRDBSQLite
import Glibc

@testable import Enclave
@testable import ItemStore
@testable import StoreEngine

extension Seeds {
    /// Seeds whose first byte is the kind (``RowTarget``).
    static var rows: [Seed] {
        var grouped = attributes
        grouped[.accessGroup] = .text("test.group")
        func metadata(
            _ version: UInt64, _ attributes: AttributeSet, _ flags: AccessControlFlags? = nil
        ) -> [UInt8] {
            let constraints = flags.flatMap { try? AccessConstraints($0) }
            let metadata = ItemMetadata(secretVersion: version, constraints: constraints, attributes: attributes)
            return metadata.encode().withUnsafeBytes { [UInt8]($0) }
        }
        var seeds: [Seed] = [
            ("attributes", [0] + metadata(4, grouped)), ("no-secret", [0] + metadata(0, grouped)),
            ("no-group", [0] + metadata(4, attributes)), ("no-attributes", [0] + metadata(0, AttributeSet())),
            ("constrained", [0] + metadata(4, grouped, [.devicePasscode, .biometryCurrentSet, .or])),
            ("free", [0] + metadata(0, grouped, [])),
            ("nonsense", [0, 0x82, 0x01, 0xA1, 0x00, 0xF6]), ("forged", [3] + [UInt8](repeating: 0x5C, count: 90)),
        ]
        for kind: UInt8 in 0..<15 {
            let change = [kind] + big(0x0102_0304_0506_0708) + [4, 1, 2, 3, 4]
            seeds.append(("changed-\(kind)", [1, 2, 0x61, 0x62] + change))
        }
        for kind: UInt8 in 0..<8 {
            seeds.append(("secret-\(kind)", [2, kind] + big(0x0102_0304_0506_0708) + [3, 1, 2, 3, 2, 7, 7]))
        }
        return seeds
    }

    // MARK: Keybags

    static func keybags() throws -> [Seed] {
        func key(
            _ id: UInt32, _ kind: KeybagKey.Kind, _ accessibility: Accessibility, parent: UInt32 = 0,
            retired: Int64? = nil
        ) -> KeybagKey {
            KeybagKey(
                id: id, kind: kind, accessibility: accessibility, parent: parent,
                wrapped: [UInt8](repeating: UInt8(id), count: 60), sealsReserved: 65536 * UInt64(id),
                created: 1_700_000_000,
                retired: retired)
        }
        var keybag = Keybag(
            id: FixedKeys.keybag, store: FixedKeys.store, created: 1_700_000_000, changed: 1_700_000_100)
        var seeds: [Seed] = []
        func add(_ name: String) throws {
            let file = try KeybagFile(path: "keybag", backend: FixedBackend()).encode(keybag)
            seeds.append(("file-\(name)", [0] + file.withUnsafeBytes { [UInt8]($0) }))
            seeds.append(("body-\(name)", [4] + encoding { keybag.encodeBody(to: &$0) }))
        }
        try add("empty")
        keybag.keys = [key(1, .classKey, .whenUnlocked), key(2, .metadataKey, .whenUnlocked, parent: 1)]
        keybag.nextKeyID = 3
        try add("one-class")
        keybag.keys = [
            key(1, .classKey, .always, retired: 1_700_000_050), key(4, .classKey, .always),
            key(5, .metadataKey, .always, parent: 1, retired: 1_700_000_060), key(6, .metadataKey, .always, parent: 4),
        ]
        keybag.nextKeyID = 9
        keybag.destroyed = [2, 3, 7]
        try add("rotated")
        keybag.destroyed = [4]
        try add("contradiction")
        keybag.destroyed = []
        func passcodeKey(_ id: UInt32, isSuperseded: Bool) -> KeybagKey {
            var made = key(id, .classKey, .whenUnlocked, retired: isSuperseded ? 1_700_000_070 : nil)
            made.wrapped = [UInt8](repeating: UInt8(id), count: 88)
            made.isSuperseded = isSuperseded
            return made
        }
        keybag.keys = [
            passcodeKey(1, isSuperseded: true), passcodeKey(2, isSuperseded: false),
            key(3, .metadataKey, .whenUnlocked, parent: 2),
        ]
        keybag.passcode = PasscodeRecord(
            protector: PasswordSeal(
                salt: Bytes16(repeating: 9), parameters: .least, check: [UInt8](repeating: 1, count: 32),
                wrapped: [UInt8](repeating: 2, count: 60)))
        keybag.triesSequence = 400
        try add("passcode")
        var counts = TryCounts(sequence: 70_000, bootID: Bytes16(repeating: 3))
        for program in UInt8(1)...3 { counts.fail(.program(Bytes16(repeating: program)), now: 1_000_000) }
        counts.fail(.agent, now: 2_000_000)
        let tries = try TriesFile(keybag: FixedKeys.keybag, backend: FixedBackend()).encode(counts)
        let triesFile = tries.withUnsafeBytes { [UInt8]($0) }
        seeds.append(("tries", [5] + triesFile))
        // Without head, magic, version and keybag before it, and without the code and its head after it.
        seeds.append(("tries-body", [6] + triesFile.dropFirst(49).dropLast(35)))
        let uidKey = UIDKeyFile.encode(FixedKeys.uidKey).withUnsafeBytes { [UInt8]($0) }
        seeds.append(("uid-key", [2] + uidKey))
        // The target writes the bytes before the version.
        seeds.append(("uid-key-rest", [3] + uidKey.dropFirst(22)))
        seeds.append(("uid-key-newer", [3, 2, 2]))
        seeds.append(("cut", [0] + seeds[2].content.dropFirst().prefix(60)))
        return seeds
    }

    // MARK: Stores

    /// Seeds that set each column of each table in the first row to the largest and to the smallest number
    /// (``StoreTarget``).
    static var stores: [Seed] {
        var seeds: [Seed] = []
        for (table, description) in StoreChange.tables.enumerated() {
            for (column, name) in description.columns.enumerated() {
                // The tables of a recovery have rows only in the template with an unfinished recovery.
                let template: UInt8 = ["recoveries", "brought"].contains(description.name) ? 1 : 0
                for (word, number) in [("highest", UInt8(0)), ("lowest", 1)] {
                    let change = [UInt8(table), UInt8(column), 0, 0, number]
                    seeds.append(("\(description.name)-\(name)-\(word)", [template, 0, 0] + change))
                }
            }
        }
        for setting in UInt8(0)..<8 {
            seeds.append(("setting-\(setting)", [0, setting & 1, 0, 0, 0, 0, 7, setting, 5]))
        }
        return seeds
    }

    // MARK: Snapshots

    private static let lossReport = LossReport(
        cause: .recovery, found: 8e8, base: 10, changes: 6, since: 3, sinceDate: 8e8, lost: 4, restored: 2)

    /// Seeds whose first byte is the kind (``SnapshotTarget``).
    static func snapshots() throws -> [Seed] {
        let snapshot = Snapshot(
            name: "x", store: FixedKeys.store, sequence: 12, date: 8e8, reason: .daily, items: 3, bytes: 20480,
            schemaVersion: StoreSchema.version)
        let folder = "/tmp/chatelaine-seeds-\(getpid())"
        let store = try SmallStore(folder)
        defer { store.remove() }
        let (database, log) = (try store.read("store/items.db"), try store.read("store/items.db-wal"))
        // A snapshot's database has no log beside it.
        var alone = database
        alone.replaceSubrange(18..<20, with: [1, 1])
        let length = [UInt8(log.count >> 8), UInt8(log.count & 0xFF)]
        var seeds: [Seed] = [
            ("manifest", [0] + snapshot.encode()), ("mark", [4] + (try store.read("store.mark"))),
            ("database", [3, 0, 0, 0] + database), ("database-and-log", [3, 1] + length + log + database),
            ("log-alone", [3, 1] + length + log), ("log-garbled", [3, 0] + length + log.dropLast(100) + database),
            ("snapshot", [5] + alone),
            ("leaves", [3, 0, 0, 0] + store.leaves),
            ("record", [1, 4, 1, 6, 23, 0x2A] + [UInt8](repeating: 0, count: 13)),
            ("losses", [6] + UnacknowledgedLosses.encoded(.init(reports: [lossReport]))),
            ("nothing", [3]), ("empty-mark", [4] + [UInt8](repeating: 0, count: 32)),
        ]
        for number in 0..<min(24, database.count / SmallStore.pageSize) {
            let page = database[number * SmallStore.pageSize..<(number + 1) * SmallStore.pageSize]
            seeds.append(("page-\(number + 1)", [2, number == 0 ? 1 : 0] + page))
        }
        return seeds
    }
}

/// A real store with small pages, so that an input can have all kinds of pages: leaves, inner pages and overflow.
private struct SmallStore {
    static let pageSize = 512
    let folder: String
    /// Leaves of the usual page size, of any tables, from before the store got small pages.
    private(set) var leaves: [UInt8] = []

    init(_ folder: String) throws {
        self.folder = folder
        mkdir(folder, 0o700)
        do {
            let store = try ItemStore(folder: folder + "/store", keys: FixedKeys())
            for (number, length) in [8, 8, 700].enumerated() {
                var item = NewItem(itemClass: .genericPassword)
                item.attributes[.account] = .text("\(number)")
                item.secret = SecretBytes([UInt8](repeating: 1, count: length))
                _ = try store.add(
                    item, group: "test.group",
                    request: ChangeRequest(
                        name: ItemIdentifier().bytes + ItemIdentifier().bytes,
                        digest: [UInt8](repeating: 2, count: ChangeRequest.digestByteCount)))
            }
        }
        try execute("PRAGMA journal_mode = DELETE")
        let database = try read("store/items.db")
        for start in stride(from: 4096, to: database.count, by: 4096) where database[start] == 0x0D {
            if leaves.count < 5 * 4096 { leaves += database[start..<start + 4096] }
        }
        try execute(
            "PRAGMA page_size = \(Self.pageSize)", "VACUUM", "PRAGMA journal_mode = WAL",
            "UPDATE items SET sequence = sequence + 10 WHERE row = 2", "UPDATE store SET sequence = 30")
    }

    func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen("\(folder)/\(name)", "re") else {
            throw KeychainError(.notAvailable, "\(name) is not there")
        }
        defer { fclose(file) }
        var content = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&content, 1, content.count, file)
        return Array(content.prefix(count))
    }

    func remove() { FuzzFolder.removeTree(folder) }

    /// Executes statements. The connection stays open, since closing it would empty the log.
    private func execute(_ statements: String...) throws {
        var handle: OpaquePointer?
        let path = "\(folder)/store/items.db"
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw KeychainError(.notAvailable, path) }
        for sql in statements {
            guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
                throw KeychainError(.notAvailable, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
            }
        }
    }
}
