import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import InProcess
import ItemStore
import StoredHomes
import TestSupport
import Testing

/// Homes of earlier versions with a passcode and with constrained items open under the same conditions as then, and
/// under no others.
@Suite struct PasscodeHomeTests {
    private static let principal = Bytes16(repeating: 5)

    private let groups = ReadingTests.groups

    @Test func thereAreHomes() { #expect(!StoredHome.withPasscode.isEmpty) }

    private func expect(_ status: Status, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("no \(status)")
        } catch { #expect((error as? KeychainError)?.status == status, "\(error)") }
    }

    private func query(_ item: ExpectedHome.Item, returns: ReturnTypes) throws -> ItemQuery {
        var query = ItemQuery(itemClass: item.itemClass == "inet" ? .internetPassword : .genericPassword)
        query.identifier = ItemIdentifier(try #require(Bytes16(ExpectedHome.bytes(item.identifier))))
        query.synchronizable = .any
        query.returns = returns
        return query
    }

    /// Searches as a caller whose context has this number, and gives the custodian the passcode and password it is
    /// asked for.
    private func find(
        _ item: ExpectedHome.Item, in home: InProcessHome, context number: UInt64, passcode: String?, password: String?
    ) throws -> FoundItem? {
        let store = try home.opened()
        let context = ContextReference(number: number, principal: Self.principal)
        if let password {
            _ = try home.ask(SetCredential(context, isPresent: true, in: store.identifier), password)
        }
        return try store.find(
            query(item, returns: [.data, .attributes]), groups: groups,
            authorise: { (row, _) throws(KeychainError) in
                guard let constraints = row.constraints, let passcode else { return true }
                let question = AccessQuestion(
                    KeyUse(context, for: .decrypt), constraints, groupDigest: row.context.groupDigest)
                return try home.outcome(ProveQuestion(question, .agent, in: store.identifier), passcode) == .done
            }, use: { KeyUse(context, for: $0) }
        ).first
    }

    /// Whether the item needs the passcode to be typed.
    private func needsPasscode(_ item: ExpectedHome.Item) -> Bool {
        let flags = AccessControlFlags(rawValue: item.flags ?? 0)
        return flags.contains(.userPresence) || flags.contains(.devicePasscode)
    }

    private func expectItems(_ home: InProcessHome, _ items: [ExpectedHome.Item], _ passcode: String) throws {
        var number: UInt64 = 0
        for wanted in items {
            number += 1
            let attributes = try #require(
                try home.opened().find(query(wanted, returns: .attributes), groups: groups).first)
            var shown = try #require(ExpectedHome.Item(attributes))
            (shown.secret, shown.password) = (wanted.secret, wanted.password)
            #expect(shown == wanted)
            if wanted.secret != nil, needsPasscode(wanted) || wanted.password != nil {
                expect(.interactionNotAllowed) {
                    _ = try find(wanted, in: home, context: number + 1000, passcode: nil, password: nil)
                }
            }
            if wanted.password != nil {
                expect(.authFailed) {
                    _ = try find(wanted, in: home, context: number + 2000, passcode: passcode, password: "another")
                }
            }
            let found = try find(
                wanted, in: home, context: number, passcode: needsPasscode(wanted) ? passcode : nil,
                password: wanted.password)
            let hit = try #require(found)
            var item = try #require(ExpectedHome.Item(hit))
            item.password = wanted.password
            #expect(item == wanted)
        }
        #expect(try home.opened().statistics().items.values.reduce(0, +) == items.count)
    }

    private func check(_ home: InProcessHome) throws {
        var position: Int64? = 0
        while let next = position {
            let step = try home.opened().check(from: next)
            #expect(step.findings.isEmpty && step.structure.isEmpty)
            position = step.next
        }
    }

    @Test(arguments: StoredHome.withPasscode) func everythingIsWhatItWas(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let passcode = try #require(expected.passcode)
        let copy = try HomeCopy(stored)
        let home = InProcessHome(copy.path, time: expected.time)
        let store = try home.opened().identifier
        let plain = try #require(expected.items.first { $0.accessible == "ak" && $0.flags == nil && $0.secret != nil })
        expect(.interactionNotAllowed) { _ = try find(plain, in: home, context: 1, passcode: nil, password: nil) }
        #expect(try home.outcome(UnlockStore(.agent, in: store), passcode + ".") == .wrong)
        expect(.interactionNotAllowed) { _ = try find(plain, in: home, context: 1, passcode: nil, password: nil) }
        #expect(try home.outcome(UnlockStore(.agent, in: store), passcode) == .done)
        try expectItems(home, expected.items, passcode)
        try check(home)
        // Each decision comes with the signature that confirmed it.
        #expect(try home.decisions() == expected.decisions)
        let snapshots = try home.snapshots.list().filter { $0.reason != .migration }
        #expect(snapshots.map(\.name) == expected.snapshots.map(\.name))
        #expect(try home.opened().losses().isEmpty)
    }

    @Test(arguments: StoredHome.withPasscode) func eachSnapshotCanBeHadBack(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let passcode = try #require(expected.passcode)
        for snapshot in expected.snapshots {
            let copy = try HomeCopy(stored)
            let home = InProcessHome(copy.path, time: expected.time)
            let store = try home.opened().identifier
            #expect(try home.outcome(UnlockStore(.agent, in: store), passcode) == .done)
            try home.restore(snapshot.name)
            // The items of the snapshot have their old constraints.
            let items = try expected.items.filter { item in
                try !home.opened().find(query(item, returns: .attributes), groups: groups).isEmpty
            }
            #expect(items.count == snapshot.items)
            try expectItems(home, items, passcode)
            try check(home)
        }
    }

    /// After damage to the database, items that were stored under a passcode come back under it.
    @Test(arguments: StoredHome.withPasscode) func aDamagedOneIsRecovered(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let passcode = try #require(expected.passcode)
        let copy = try HomeCopy(stored)
        try copy.garble(pages: 1)
        let home = InProcessHome(copy.path, time: expected.time)
        let store = try home.opened().identifier
        #expect(try home.outcome(UnlockStore(.agent, in: store), passcode) == .done)
        while try home.opened().continueRecovery() {}
        try expectItems(home, expected.items, passcode)
        try check(home)
    }

    @Test(arguments: StoredHome.withPasscode) func theCommandOpensIt(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let passcode = try #require(expected.passcode)
        let tool = ToolRun(try HomeCopy(stored))
        #expect(try tool.security("state").output != "unlocked\n")
        #expect(try tool.security(reading: passcode + ".", "unlock", "--stdin").exitStatus == 51)
        #expect(try tool.security(reading: passcode, "unlock", "--stdin").exitStatus == 0)
        #expect(try tool.security("state").output == "unlocked\n")
        let listed = try tool.security(reading: passcode, "item", "list", "--all", "--json", "--stdin")
        let items = try #require(
            try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]], "\(listed)")
        #expect(items.count == expected.items.count)
        #expect(try tool.security("check").exitStatus == 0)
        #expect(try tool.teams() == expected.decisions?.teams.map(\.team) ?? [])
        #expect(try tool.security("passcode", "status").output.contains("set"))
    }
}
