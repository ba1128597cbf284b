import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Foundation
import GRDBSQLite
import TestSupport
import Testing

/// Tests that replace keys while daemons reseal all items with the new ones.
@Suite struct NewKeyTests {
    private static let items = 120
    /// A secret that makes the whole resealing take some tenths of a second.
    private static func secret(_ index: Int) -> String { "\(index) " + String(repeating: "long ", count: 2000) }

    @Test func everythingIsSealedAnewWhileItIsInUse() throws {
        let household = try Household()
        let probe = try household.probe()
        for index in 0..<Self.items { try #require(try probe.add("item \(index)", Self.secret(index)) == 0) }
        _ = try household.client.snapshots(.take())
        let before = try probe.all()
        household.dismiss()
        let former = try household.keys()
        let formerSnapshots = try household.snapshots()
        try household.replaceKeys()
        // The first call starts the daemon, which begins the resealing.
        #expect(try probe.all() == before)
        try household.waitUntilSealedAnew()
        #expect(try probe.all() == before)
        #expect(try household.snapshots().count == 1 && household.snapshots() != formerSnapshots)
        household.dismiss()
        // No row names a former key.
        let present = try household.keys()
        #expect(!present.isEmpty && Set(present).isDisjoint(with: former))
        #expect(try probe.all() == before && household.setAside.isEmpty)
        let report = try household.client.status()
        #expect(report["store.quarantined"] == .number(0) && report["store.losses"] == .number(0))
    }

    /// Daemons are killed at any moment, and get new keys each time the resealing is done.
    @Test func daemonsThatAreKilledGoOn() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["ROUNDS"].flatMap { Int($0) } ?? 20
        let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
        print("new keys, kill test: \(rounds) rounds, SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let household = try Household()
        let probe = try household.probe()
        for index in 0..<Self.items { try #require(try probe.add("item \(index)", Self.secret(index)) == 0) }
        var expected = try probe.all()
        household.dismiss()
        try household.replaceKeys()
        var (kills, ends) = (0, 0)
        for round in 0..<rounds {
            // The call starts both daemons.
            #expect(try probe.find("item 0").status == 0)
            usleep(UInt32.random(in: 0..<250_000, using: &random))
            let isDone = try household.client.status()["store.resealing"] == nil
            if let daemon = household.daemonPID {
                var victims = [daemon]
                if let custodian = household.custodianPID, round % 3 > 0 {
                    victims = round % 3 == 1 ? [custodian] : [custodian, daemon]
                }
                for victim in victims where kill(victim, SIGKILL) == 0 { kills += 1 }
            }
            #expect(try probe.all() == expected)
            let account = "item \(round % Self.items)"
            try #require(try probe.update(account, "changed \(round)") == 0)
            expected[account] = "changed \(round)"
            if isDone {
                ends += 1
                household.dismiss()
                try household.replaceKeys()
            }
        }
        try household.waitUntilSealedAnew()
        #expect(try probe.all() == expected)
        let report = try household.client.status()
        #expect(report["store.quarantined"] == .number(0) && report["store.losses"] == .number(0))
        #expect(report["store.missing.lost"] == nil && report["store.missing.changes"] == nil)
        print("new keys, kills: rounds=\(rounds) kills=\(kills) ends=\(ends) SEED=\(seed)")
        #expect(kills >= rounds)
    }
}

extension Household {
    private var keybags: String { "\(home)/state/enclave/keybags" }

    /// Gives the keychain new keys by setting its first passcode, and removes that passcode at once.
    ///
    /// Without a passcode, the test's later calls need none. No daemon may run meanwhile.
    func replaceKeys() throws {
        let custodian = Enclave(stateFolder: "\(home)/state/enclave")
        let name = try #require(TemporaryFolder.names(in: keybags).first { $0.hasSuffix(".keybag") })
        let uuid = try #require(UUID(uuidString: String(name.dropLast(".keybag".count)))).uuid
        let store = StoreIdentifier(try #require(withUnsafeBytes(of: uuid) { Bytes16($0) }))
        _ = try custodian.answer(OpenStore(store, isEmpty: false)).get()
        let passcode = SecretBytes("a passcode".utf8)
        for request in [SetPasscode(store), RemovePasscode(.agent, in: store)] as [any EnclavePasscodeRequest] {
            guard try custodian.answer(request, passcodes: [passcode]).get().outcome == .done else { throw Unchanged() }
        }
    }

    private struct Unchanged: Error {}

    func waitUntilSealedAnew() throws {
        try until("rows are sealed anew") { try client.status()["store.resealing"] == nil }
    }

    /// The numbers of the keys that rows name; no daemon may run.
    func keys() throws -> [Int64] {
        var handle: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }
        let text = "SELECT metadata_key FROM items UNION SELECT class_key FROM items"
        try #require(sqlite3_open(database, &handle) == SQLITE_OK)
        try #require(sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK)
        var keys: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW { keys.append(sqlite3_column_int64(statement, 0)) }
        return keys
    }

    func snapshots() throws -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: store + ".snapshots")) ?? []).sorted()
    }
}
