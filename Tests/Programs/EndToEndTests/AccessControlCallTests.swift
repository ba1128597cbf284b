import Foundation
import Testing

/// Tests of items with an access control through both daemons, where no person is needed (behaviour/access-control.md).
@Suite struct AccessControlCallTests {
    private static let presence = 1
    private static let passcode = 16
    private static let privateKeyUsage = 1 << 30
    private static let statuses = (param: -50, notFound: -25300)
    /// Statuses of a call that needs a person: refused, or nobody can be asked.
    private static let withheld = [-25293, -25308]
    /// The codes of `LAError` where the use of a key needs a person, and none is asked.
    private static let unauthenticated = [-1, -1004]

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
        // Without a passcode, no item can be stored whose access control asks for a person.
        try household.passcode(.set, Household.passcode)
    }

    private static func control(_ flags: Int, _ protection: String = "ak") -> [String: Any] {
        ["accessControl": protection, "flags": flags]
    }

    private func item(_ account: String, _ more: [String: Any] = [:]) -> [String: Any] {
        ["class": "genp", "svce": "control", "acct": account].merging(more) { $1 }
    }

    private func add(_ account: String, _ control: Any, _ more: [String: Any] = [:]) throws -> Int {
        let whole = item(account, ["accc": control, "v_Data": PasswordTests.data("secret " + account)])
        return try probe.call("add", whole.merging(more) { $1 }).status
    }

    private func find(_ more: [String: Any]) throws -> ProbeAnswer {
        try probe.call("find", ["class": "genp", "svce": "control"].merging(more) { $1 })
    }

    private func description(_ account: String) throws -> String? {
        let attributes = try find(["acct": account, "r_Attributes": true]).dictionary
        return (attributes?["accc"] as? [String: Any])?["control"] as? String
    }

    @Test func itemsKeepTheirAccessControl() throws {
        try #require(try add("presence", Self.control(Self.presence)) == 0)
        try #require(try add("free", Self.control(0, "ck")) == 0)
        try #require(try probe.call("add", item("plain", ["pdmn": "ak"])).status == 0)
        for _ in 0..<2 {
            #expect(try description("presence") == "<SecAccessControl: ak; userPresence>")
            #expect(try description("free") == "<SecAccessControl: ck; no flags>")
            #expect(try description("plain") == "<SecAccessControl: ak>")
            #expect(try find(["acct": "free", "r_Data": true]).data == Data("secret free".utf8))
            #expect(try Self.withheld.contains(find(["acct": "presence", "r_Data": true]).status))
            #expect(try find(["acct": "presence", "r_PersistentRef": true]).status == 0)
            #expect(
                try find(["accc": Self.control(Self.presence), "r_Attributes": true]).dictionary?["acct"] as? String
                    == "presence")
            #expect(try find(["accc": Self.control(Self.passcode)]).status == Self.statuses.notFound)
            #expect(try find(["accc": Self.control(Self.presence, "ck")]).status == Self.statuses.notFound)
            // The next call starts a new custodian and a new securityd.
            household.dismiss()
            try household.enter(.unlocked)
        }
        #expect(try probe.call("delete", item("presence")).status == 0)
        #expect(try description("presence") == nil)
    }

    /// Reading the bytes of a symmetric key needs the same authentication as reading a password.
    @Test func aSymmetricKeyIsUnderOneToo() throws {
        let aes: [String: Any] = ["class": "keys", "kcls": "2", "type": "2147483649"]
        func add(_ label: String, _ flags: Int) throws -> Int {
            let own: [String: Any] = [
                "labl": label, "klbl": PasswordTests.data(label), "v_Data": PasswordTests.data("0123456789abcdef"),
                "accc": Self.control(flags),
            ]
            return try probe.call("add", aes.merging(own) { $1 }).status
        }
        func find(_ label: String, _ returns: String) throws -> ProbeAnswer {
            try probe.call("find", ["class": "keys", "labl": label, returns: true])
        }
        try #require(try add("presence", Self.presence) == 0)
        try #require(try add("free", 0) == 0)
        #expect(try find("free", "r_Data").data == Data("0123456789abcdef".utf8))
        #expect(try Self.withheld.contains(find("presence", "r_Data").status))
        #expect(try find("presence", "r_Attributes").dictionary?["bsiz"] as? Int == 128)
        let found = try #require(try find("presence", "r_Ref").dictionary?["reference"] as? Int)
        let export = try probe.ask(["call": "export", "query": ["key": ["reference": found]] as [String: Any]])
        #expect(Self.withheld.contains(export.status))
        // A key that never leaves is under the same one: nothing is done with it or to it.
        let kept: [String: Any] = [
            "type": "2147483649", "bsiz": 256, "perm": true, "extr": false, "labl": "kept",
            "accc": Self.control(Self.presence),
        ]
        #expect(try probe.ask(["call": "makeSymmetric", "query": kept]).status == 0)
        let inner = try probe.ask([
            "call": "makeSymmetric", "query": ["type": "2147483649", "bsiz": 128] as [String: Any],
        ])
        let keys = try ["inner": inner, "outer": find("kept", "r_Ref")].mapValues {
            ["reference": try #require($0.dictionary?["reference"] as? Int)]
        }
        let wrapping: [String: Any] = ["key": keys["inner"] ?? [:], "other": keys["outer"] ?? [:]]
        #expect(try Self.unauthenticated.contains(probe.ask(["call": "wrap", "query": wrapping]).status))
        let wrapped = ["data": Data(repeating: 1, count: 24).base64EncodedString()]
        let unwrapping: [String: Any] = ["key": keys["outer"] ?? [:], "data": wrapped]
        #expect(try Self.unauthenticated.contains(probe.ask(["call": "unwrap", "query": unwrapping]).status))
        for change in [["labl": "other"], ["pdmn": "ck"]] {
            let query: [String: Any] = ["class": "keys", "labl": "kept"]
            #expect(try Self.withheld.contains(probe.call("update", query, change: change).status))
        }
        #expect(try find("kept", "r_Attributes").dictionary?["extr"] as? Int == 0)
        // A permanent private key needs an access control that says who may calculate with it.
        let pair: [String: Any] = ["type": "73", "bsiz": 256, "perm": true, "accc": Self.control(Self.presence)]
        #expect(try probe.ask(["call": "makeKey", "query": pair]).status == Self.statuses.param)
    }

    @Test func rulesHoldInEveryCall() throws {
        let (control, free) = (Self.control(Self.presence), Self.control(0))
        for object in [control, free] {
            #expect(try add("a", object, ["pdmn": "ak"]) == Self.statuses.param)
            #expect(try find(["accc": object, "pdmn": "ak"]).status == Self.statuses.param)
            let query = item("a", ["accc": object, "pdmn": "ak"])
            #expect(try probe.call("update", query, change: ["labl": "x"]).status == Self.statuses.param)
            #expect(try probe.call("delete", query).status == Self.statuses.param)
            let both = ["accc": object, "pdmn": "ak"] as [String: Any]
            #expect(try probe.call("update", item("a"), change: both).status == Self.statuses.param)
        }
        #expect(try add("a", control, ["sync": true]) == Self.statuses.param)
        // An access control without constraints does not bind the item to this device.
        #expect(try add("a", free, ["sync": true]) == 0)
        // Constraints of private keys alone do not keep a secret from being stored or read.
        #expect(try Self.withheld.contains(add("key", Self.control(Self.privateKeyUsage))))
        for wrong in ["ak", true, PasswordTests.data("x"), ["null": true]] as [Any] {
            #expect(try add("b", wrong) == Self.statuses.param)
            #expect(try find(["accc": wrong]).status == Self.statuses.param)
            #expect(try probe.call("delete", item("b", ["accc": wrong])).status == Self.statuses.param)
            #expect(try probe.call("update", item("b"), change: ["accc": wrong]).status == Self.statuses.param)
        }
        #expect(try add("b", control) == 0)
        let everywhere = ["sync": true] as [String: Any]
        let refusals = Self.withheld + [Self.statuses.param]
        #expect(try refusals.contains(probe.call("update", item("b"), change: everywhere).status))
        #expect(try find(["acct": "b", "sync": true]).status == Self.statuses.notFound)
    }

    @Test func returnedDictionariesAreUsedAgain() throws {
        try #require(try add("flags", Self.control(Self.presence)) == 0)
        try #require(try probe.call("add", item("plain", ["pdmn": "ck"])).status == 0)
        for account in ["flags", "plain"] {
            var returned = try #require(try find(["acct": account, "r_Attributes": true]).dictionary)
            returned["class"] = "genp"
            // The returned access control agrees with the class beside it.
            #expect(try probe.call("find", returned).status == 0)
            returned["pdmn"] = nil
            #expect(try probe.call("find", returned).status == 0)
            #expect(try probe.call("delete", returned).status == 0)
            #expect(try probe.call("add", returned).status == 0)
            #expect(
                try description(account)
                    == (account == "plain" ? "<SecAccessControl: ck>" : "<SecAccessControl: ak; userPresence>"))
        }
    }

    @Test func updatesGiveAndTakeAccessControls() throws {
        try #require(try probe.call("add", item("a", ["v_Data": PasswordTests.data("first")])).status == 0)
        let constrained = ["accc": Self.control(Self.presence, "ck")] as [String: Any]
        #expect(try probe.call("update", item("a"), change: constrained).status == 0)
        #expect(try description("a") == "<SecAccessControl: ck; userPresence>")
        #expect(try Self.withheld.contains(find(["acct": "a", "r_Data": true]).status))
        #expect(try Self.withheld.contains(probe.call("update", item("a"), change: ["pdmn": "ak"]).status))
        #expect(try description("a") == "<SecAccessControl: ck; userPresence>")
    }
}
