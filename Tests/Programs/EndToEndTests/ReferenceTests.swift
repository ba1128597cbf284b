import Foundation
import Testing

/// Tests of items by the references that calls return, and of returned dictionaries that are used again
/// (behaviour/references.md).
@Suite struct ReferenceTests {
    private static var base: [String: Any] { ["class": "inet", "srvr": "git.example.org", "ptcl": "htps"] }

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private func item(_ account: String, _ more: [String: Any] = [:]) -> [String: Any] {
        Self.base.merging(["acct": account]) { $1 }.merging(more) { $1 }
    }

    private func add(_ accounts: String...) throws {
        for account in accounts {
            try #require(try probe.call("add", item(account, ["v_Data": PasswordTests.data(account)])).status == 0)
        }
    }

    /// The references of all items, in the probe's form.
    private func references() throws -> [Any] {
        try #require(
            try probe.call("find", Self.base.merging(["r_Ref": true, "m_Limit": "m_LimitAll"]) { $1 }).result as? [Any])
    }

    private func accounts(_ query: [String: Any]) throws -> [String]? {
        let all = ["class": "inet", "r_Attributes": true, "m_Limit": "m_LimitAll"] as [String: Any]
        return try probe.call("find", all.merging(query) { $1 }).array?.compactMap { $0["acct"] as? String }
    }

    /// git's credential helper erases a wrong password with these calls.
    @Test func gitErasesWhatItFinds() throws {
        try add("ada", "bea")
        for reference in try references() {
            let one: [String: Any] = ["class": "inet", "m_ItemList": [reference]]
            let found = try probe.call("find", one.merging(["r_Data": true]) { $1 })
            guard found.data == Data("bea".utf8) else { continue }
            #expect(try probe.call("delete", one).status == 0)
            #expect(try probe.call("delete", one).status == -25300)
        }
        #expect(try accounts([:]) == ["ada"])
    }

    @Test func oneReferenceNamesOneItem() throws {
        try add("ada", "bea")
        let query = item("bea", ["r_Ref": true, "r_PersistentRef": true, "r_Attributes": true])
        let found = try #require(try probe.call("find", query).dictionary)
        let reference = try #require(found["v_Ref"])
        #expect(found["class"] as? String == "inet")
        #expect(try probe.call("find", ["v_Ref": reference, "r_Data": true]).data == Data("bea".utf8))
        #expect(try probe.call("find", ["v_Ref": reference, "class": "inet", "acct": "bea"]).status == 0)
        #expect(try probe.call("find", ["v_Ref": reference, "acct": "ada"]).status == -25300)
        #expect(try probe.call("find", ["v_Ref": reference, "class": "genp"]).status == -25306)
        #expect(
            try probe.call("find", ["v_PersistentRef": try #require(found["v_PersistentRef"]), "class": "genp"]).status
                == -25306)
        #expect(try probe.call("update", ["v_Ref": reference], change: ["acct": "bert"]).status == 0)
        // The object stays the same after its item has changed.
        #expect(
            (try probe.call("find", item("bert", ["r_Ref": true])).dictionary?["reference"] as? Int)
                == (reference as? [String: Int])?["reference"])
        #expect(try probe.call("add", item("new", ["v_Ref": reference])).status == -50)
        #expect(
            try household.probe("other").call("find", ["v_PersistentRef": try #require(found["v_PersistentRef"])])
                .status == -25300)
        #expect(try probe.call("delete", ["v_Ref": reference]).status == 0)
        #expect(try probe.call("find", ["v_Ref": reference]).status == -25300)
        #expect(try accounts([:]) == ["ada"])
    }

    @Test(arguments: ["m_ItemList", "u_ItemList"])
    func listsRestrictWhatIsFound(_ key: String) throws {
        try add("ada", "bea", "cleo", "dora")
        let all = try references()
        let persistent = try #require(try probe.call("find", item("cleo", ["r_PersistentRef": true])).result)
        let two: [Any] = [all[0], persistent, all[0]]
        let found = try #require(try accounts([key: two]))
        #expect(found.count == 2 && found.contains("cleo"))
        #expect(try accounts([key: two, "acct": "cleo"]) == ["cleo"])
        #expect(try accounts([key: [persistent], "acct": "ada"]) == nil)
        #expect(try accounts([key: [Any]()]) == nil)
        #expect(try accounts([key: two, "m_Limit": 2])?.count == 2)
        #expect(try probe.call("find", ["class": "genp", key: two]).status == -25300)
        let both = ["m_ItemList": two, "u_ItemList": [persistent]]
        #expect(try accounts(both) == ["cleo"])

        #expect(try probe.call("update", ["class": "inet", key: two], change: ["labl": "listed"]).status == 0)
        #expect(Set(try accounts(["labl": "listed"]) ?? []) == Set(found))
        #expect(try probe.call("delete", ["class": "inet", key: [persistent]]).status == 0)
        // A list may contain references of deleted items, which are passed over.
        #expect(try accounts([key: two]) == found.filter { $0 != "cleo" })
        #expect(try probe.call("delete", ["class": "inet", key: [persistent]]).status == -25300)
        #expect(try probe.call("update", ["class": "inet", key: [persistent]], change: [:]).status == -25300)

        for (wrong, status) in [
            ("no array" as Any, -50), (["text"] as Any, -50), ([1] as Any, -50), ([[String]()] as Any, -50),
            ([PasswordTests.data("of no keychain")] as Any, -50),
        ] {
            #expect(try probe.call("find", ["class": "inet", key: wrong]).status == status, "\(wrong)")
            #expect(try probe.call("delete", ["class": "inet", key: wrong]).status == status, "\(wrong)")
        }
        #expect(try probe.call("add", item("new", [key: two])).status == -50)
        #expect(try accounts([:])?.count == 3)
    }

    /// No reference gives access to another program's item.
    @Test func aReferenceOpensNothing() throws {
        try add("ada")
        let reference = try #require(try probe.call("find", item("ada", ["r_PersistentRef": true])).result)
        let other = try household.probe("other")
        let list: [String: Any] = ["class": "inet", "m_ItemList": [reference]]
        #expect(try other.call("find", list).status == -25300)
        #expect(try other.call("update", list, change: ["acct": "mine"]).status == -25300)
        #expect(try other.call("delete", list).status == -25300)
        #expect(try accounts([:]) == ["ada"])
    }

    @Test func synchronizableItemsAreFoundByReference() throws {
        let synced = item("ada", ["sync": true, "v_Data": PasswordTests.data("s"), "r_Ref": true])
        let reference = try #require(try probe.call("add", synced).result)
        #expect(try accounts(["m_ItemList": [reference]]) == ["ada"])
        #expect(try accounts(["m_ItemList": [reference], "sync": false]) == nil)
        #expect(try probe.call("find", ["v_Ref": reference, "r_Data": true]).data == Data("s".utf8))
        #expect(try probe.call("delete", ["v_Ref": reference]).status == 0)
    }

    /// A synchronizable item that is deleted and added again keeps its reference.
    @Test func aReferenceOutlivesADeletion() throws {
        let synced = item("ada", ["sync": true, "v_Data": PasswordTests.data("first"), "r_PersistentRef": true])
        let reference = try #require(try probe.call("add", synced).data)
        let named: [String: Any] = ["v_PersistentRef": ["data": reference.base64EncodedString()], "r_Data": true]
        #expect(try probe.call("delete", item("ada", ["sync": true])).status == 0)
        #expect(try probe.call("find", named).status == -25300)
        household.dismiss()
        let again = synced.merging(["v_Data": PasswordTests.data("second")]) { $1 }
        #expect(try probe.call("add", again).data == reference)
        #expect(try probe.call("find", named).data == Data("second".utf8))
        let local = again.merging(["sync": false]) { $1 }
        #expect(try probe.call("add", local).data != reference)
    }

    @Test func aReturnedDictionaryFindsItsItemAfterAChange() throws {
        try add("ada")
        let query = item("ada", ["r_Attributes": true])
        let returned = try #require(try probe.call("find", query).dictionary).merging(["class": "inet"]) { $1 }
        #expect(try probe.call("update", item("ada"), change: ["v_Data": PasswordTests.data("new")]).status == 0)
        // JSON cannot carry the access control's object.
        let attributes = returned.filter { $0.key != "accc" }
        #expect(try probe.call("find", attributes.merging(["r_Data": true]) { $1 }).data == Data("new".utf8))
        #expect(try probe.call("update", attributes, change: ["labl": "found"]).status == 0)
        #expect(try probe.call("delete", attributes.filter { $0.key != "labl" }).status == 0)
        #expect(try accounts([:]) == nil)
    }

    @Test func aReturnedDictionaryCanBeAddedAgain() throws {
        try add("ada")
        let query = item("ada", ["r_Attributes": true, "r_Data": true, "r_PersistentRef": true])
        let returned = try #require(try probe.call("find", query).dictionary).filter { $0.key != "accc" }
        #expect(try probe.call("add", returned).status == -25299, "as long as it is there")
        #expect(try probe.call("delete", item("ada")).status == 0)
        let added = try probe.call("add", returned.merging(["r_PersistentRef": true, "r_Attributes": true]) { $1 })
        #expect(added.status == 0)
        #expect(ProbeAnswer.data(added.dictionary?["v_PersistentRef"]) != ProbeAnswer.data(returned["v_PersistentRef"]))
        #expect(try probe.call("find", item("ada", ["r_Data": true])).data == Data("ada".utf8))
        #expect(try probe.call("add", returned.merging(["class": "genp", "acct": "x"]) { $1 }).status == -25306)
    }

    /// git's helper and go-keychain repeat the query's attributes among the changes.
    @Test func theClassMayStandAmongTheChanges() throws {
        try add("ada")
        let change = item("ada", ["v_Data": PasswordTests.data("new")])
        #expect(try probe.call("update", item("ada"), change: change).status == 0)
        #expect(try probe.call("find", item("ada", ["r_Data": true])).data == Data("new".utf8))
        #expect(try probe.call("update", item("ada"), change: ["class": "genp"]).status == -25303)
        for key in ["r_Data", "m_Limit", "u_AuthUI", "v_Ref", "v_PersistentRef", "m_ItemList"] {
            #expect(try probe.call("update", item("ada"), change: [key: 1]).status == -25303, "\(key)")
        }
    }
}
