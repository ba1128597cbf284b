import ChatelaineIPC
import ChatelaineModel
import Foundation
import Testing

/// Tests of each protection class in each state of the device (behaviour/protection-classes.md).
@Suite struct ClassStateTests {
    private static let locked = -25308
    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]
    private static let states: [LockState] = [.unlocked, .locked, .beforeFirstUnlock]

    /// Whether the keys of a class are available; this is the expected table.
    private static func isOpen(_ name: String, _ state: LockState) -> Bool {
        switch name {
        case "dk", "dku": true
        case "ck", "cku": state != .beforeFirstUnlock
        default: state == .unlocked
        }
    }

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private static func item(_ account: String) -> [String: Any] { ProbeProcess.password(account) }

    private func add(_ account: String, _ name: String?) throws -> Int {
        var item = Self.item(account).merging(["v_Data": PasswordTests.data("secret of \(account)")]) { $1 }
        item["pdmn"] = name
        return try probe.call("add", item).status
    }

    private func find(_ account: String, _ query: [String: Any]) throws -> ProbeAnswer {
        try probe.call("find", Self.item(account).merging(query) { $1 })
    }

    @Test func everyCellOfTheTable() throws {
        #expect(try add("akpu", "akpu") == -25293)
        try household.passcode(.set, Household.passcode)
        for name in Self.classes { try #require(try add(name, name) == 0) }
        for state in Self.states {
            try household.enter(state)
            for name in Self.classes {
                let isOpen = Self.isOpen(name, state)
                let cell: Comment = "class \(name), \(state)"
                let expected = isOpen ? 0 : Self.locked
                // Attributes, references and a mere look need the class's key, as the secret does.
                for query in [["r_Attributes": true], ["r_PersistentRef": true], ["r_Ref": true], [:]]
                    as [[String: Any]]
                {
                    #expect(try find(name, query).status == expected, cell)
                    #expect(try find(name, query.merging(["pdmn": name]) { $1 }).status == expected, cell)
                }
                let secret = try find(name, ["r_Data": true, "r_Attributes": true])
                #expect(secret.status == expected, cell)
                #expect(
                    ProbeAnswer.data(secret.dictionary?["v_Data"]) == (isOpen ? Data("secret of \(name)".utf8) : nil),
                    cell)
                // An absent item is reported as not found in every state.
                #expect(try find("nobody", ["r_Data": true, "pdmn": name]).status == -25300, cell)
                // A duplicate is reported where the class's key is available; elsewhere the addition is refused without
                // telling.
                #expect(try add(name, name) == (isOpen ? -25299 : Self.locked), cell)
                #expect(try add("another", name) == expected, cell)
                if isOpen { #expect(try probe.delete("another") == 0, cell) }
                for change in [["labl": "label"], ["v_Data": PasswordTests.data("secret of \(name)")]]
                    as [[String: Any]]
                {
                    #expect(try probe.call("update", Self.item(name), change: change).status == expected, cell)
                }
                #expect(try probe.delete(name) == expected, cell)
                if isOpen { #expect(try add(name, name) == 0, cell) }
            }
            // The default class is WhenUnlocked.
            #expect(try add("plain", nil) == (state == .unlocked ? 0 : Self.locked))
        }
        try household.enter(.unlocked)
        for name in Self.classes + ["plain"] {
            #expect(try find(name, ["r_Data": true]).data == Data("secret of \(name)".utf8), "\(name)")
        }
    }

    /// An item moves between two classes only while both are open; otherwise nothing changes.
    @Test func anItemChangesItsClass() throws {
        try household.passcode(.set, Household.passcode)
        for state in Self.states {
            try household.enter(.unlocked)
            for name in Self.classes { try #require(try add(name, name) == 0) }
            if state != .unlocked { try household.enter(state) }
            for old in Self.classes {
                for new in Self.classes where new != old {
                    let isOpen = Self.isOpen(old, state) && Self.isOpen(new, state)
                    let cell: Comment = "from \(old) to \(new), \(state)"
                    #expect(
                        try probe.call("update", Self.item(old), change: ["pdmn": new]).status
                            == (isOpen ? 0 : Self.locked), cell)
                    guard isOpen else { continue }
                    let found = try find(old, ["r_Data": true, "r_Attributes": true])
                    #expect(found.dictionary?["pdmn"] as? String == new, cell)
                    #expect(ProbeAnswer.data(found.dictionary?["v_Data"]) == Data("secret of \(old)".utf8), cell)
                    #expect(try probe.call("update", Self.item(old), change: ["pdmn": old]).status == 0, cell)
                }
            }
            try household.enter(.unlocked)
            for name in Self.classes {
                #expect(try find(name, ["r_Attributes": true]).dictionary?["pdmn"] as? String == name)
                #expect(try probe.delete(name) == 0)
            }
        }
    }

    /// The end of the passcode deletes the items that need one and no others.
    ///
    /// They do not block new items, as after any deletion.
    @Test func theItemsOfThePasscodeGoWithIt() throws {
        try household.passcode(.set, Household.passcode)
        for name in Self.classes { try #require(try add(name, name) == 0) }
        for number in 0..<20 { try #require(try add("akpu \(number)", "akpu") == 0) }
        try household.enter(.beforeFirstUnlock)
        #expect(try household.passcode(.remove, Household.passcode).outcome == .done)
        for name in Self.classes {
            #expect(try find(name, ["r_Data": true]).status == (name == "akpu" ? -25300 : 0), "\(name)")
        }
        let all: [String: Any] = ["class": "genp", "m_Limit": "m_LimitAll", "r_Attributes": true]
        #expect(try probe.call("find", all).array?.count == Self.classes.count - 1)
        #expect(try add("akpu", "akpu") == -25293)
        #expect(try add("akpu", "ak") == 0)
        #expect(try household.client.status()["store.items"] == .number(Int64(Self.classes.count)))
        // Items of the next passcode are different items.
        try household.passcode(.set, "another")
        #expect(try add("akpu 1", "akpu") == 0)
        #expect(try find("akpu 1", ["r_Data": true]).data == Data("secret of akpu 1".utf8))
        household.dismiss()
        #expect(try household.client.status()["store.missing.altered"] == nil)
    }

    /// A single locked item among those that a search has to read fails the search, whatever it asks for.
    ///
    /// A search that names an open class does not read the locked item.
    @Test func searchesThatMeetALockedItem() throws {
        try household.passcode(.set, Household.passcode)
        for name in ["ak", "ck", "dk"] { try #require(try add(name, name) == 0) }
        let all: [String: Any] = ["class": "genp", "m_Limit": "m_LimitAll"]
        func status(_ query: [String: Any]) throws -> Int {
            try probe.call("find", all.merging(query) { $1 }).status
        }
        func accounts(_ query: [String: Any]) throws -> [String] {
            (try probe.call("find", all.merging(query) { $1 }).array ?? []).compactMap { $0["acct"] as? String }
                .sorted()
        }
        #expect(try accounts(["r_Attributes": true]) == ["ak", "ck", "dk"])
        for state in [LockState.locked, .beforeFirstUnlock] {
            try household.enter(state)
            for query in [["r_Attributes": true], ["r_Data": true], ["r_PersistentRef": true], [:]] as [[String: Any]] {
                #expect(try status(query) == Self.locked)
                #expect(try status(query.merging(["svce": "trouble"]) { $1 }) == Self.locked)
            }
            #expect(try accounts(["r_Attributes": true, "pdmn": "dk"]) == ["dk"])
            #expect(
                try status(["r_Attributes": true, "pdmn": "ck"]) == (state == .locked ? 0 : Self.locked))
            #expect(try status(["svce": "nowhere"]) == -25300)
            // A change of several items changes none of them.
            #expect(try probe.call("update", ["class": "genp"], change: ["labl": "x"]).status == Self.locked)
            #expect(try probe.call("delete", ["class": "genp"]).status == Self.locked)
        }
        // A locked item stands in the way of an item of an open class. The refusal does not say what stands there.
        #expect(try add("ak", "dk") == Self.locked)
        #expect(
            try probe.call("update", Self.item("dk"), change: ["acct": "ak"]).status == Self.locked)
        try household.enter(.unlocked)
        #expect(try add("ak", "dk") == -25299)
        #expect(try accounts(["r_Attributes": true]) == ["ak", "ck", "dk"])
        #expect(try accounts(["r_Attributes": true, "labl": "x"]) == [])
    }
}
