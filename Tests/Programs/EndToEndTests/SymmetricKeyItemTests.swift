import Foundation
import TestSupport
import Testing

/// Tests of symmetric keys as items, from Apple's calls in a program down to the store (behaviour/symmetric-keys.md).
@Suite struct SymmetricKeyItemTests {
    private static let aes = "2147483649"
    private let tests: KeyItemTests
    private var probe: ProbeProcess { tests.probe }

    init() throws { tests = try KeyItemTests() }

    private func make(_ name: String, _ bits: Int = 256, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        let query: [String: Any] = ["type": Self.aes, "bsiz": bits, "perm": true, "labl": name]
        return try probe.ask(["call": "makeSymmetric", "query": query.merging(more) { $1 }])
    }

    @Test(arguments: [128, 192, 256])
    func aKeyIsMadeFoundUsedAndDeleted(_ bits: Int) throws {
        let made = try tests.reference(make("mine", bits))
        tests.household.dismiss()
        let found = try tests.reference(
            tests.find(["kcls": "2", "type": Self.aes, "bsiz": bits, "labl": "mine", "r_Ref": true]))
        let inner = try tests.reference(
            probe.ask(["call": "makeSymmetric", "query": ["type": Self.aes, "bsiz": 128] as [String: Any]]))
        let wrapped = try tests.use("wrap", inner, "", ["other": made])
        #expect(wrapped.data?.count == 24)
        let unwrapped = try tests.reference(
            tests.use("unwrap", found, "", ["data": KeyItemTests.base64(wrapped.data)]))
        let bytes = try tests.use("export", inner, "").data
        #expect(bytes?.count == 16)
        #expect(try tests.use("export", unwrapped, "").data == bytes)
        // The item and its object have the same bytes.
        #expect(try tests.find(["labl": "mine", "r_Data": true]).data == tests.use("export", found, "").data)
        let attributes = try tests.use("keyAttributes", found, "").dictionary
        #expect(attributes?["labl"] as? String == "mine" && attributes?["v_Data"] == nil)
        #expect(attributes?["kcls"] as? String == "2" && attributes?["bsiz"] as? Int == bits)
        #expect(try probe.call("delete", ["class": "keys", "v_Ref": found]).status == 0)
        #expect(try tests.use("wrap", inner, "", ["other": made]).status == -25300)
        #expect(try tests.find(["labl": "mine", "r_Ref": true]).status == -25300)
    }

    @Test func aKeyInMemoryIsAddedAsOne() throws {
        let key = try tests.reference(
            probe.ask(["call": "makeSymmetric", "query": ["type": Self.aes, "bsiz": 256] as [String: Any]]))
        let adding: [String: Any] = ["v_Ref": key, "labl": "added", "r_Ref": true, "r_Attributes": true]
        let added = try #require(try probe.call("add", adding).dictionary)
        #expect(added["bsiz"] as? Int == 256 && added["kcls"] as? Int == 2)
        let named = try #require(added["v_Ref"] as? [String: Any])["reference"] as? Int
        let stored = ["reference": try #require(named)]
        #expect(try tests.use("export", stored, "").data == tests.use("export", key, "").data)
        #expect(try probe.call("add", ["v_Ref": key, "kcls": "1", "labl": "wrong"]).status == -50)
        // The bytes are added with a description of the key.
        let raw: [String: Any] = ["class": "keys", "kcls": "2", "type": Self.aes, "labl": "raw"]
        #expect(try probe.call("add", raw.merging(["v_Data": tests.tag("0123456789abcdef")]) { $1 }).status == 0)
        let read = try tests.reference(tests.find(["labl": "raw", "bsiz": 128, "r_Ref": true]))
        #expect(try tests.use("export", read, "").data == Data("0123456789abcdef".utf8))
        #expect(try probe.call("add", raw.merging(["v_Data": tests.tag("too short")]) { $1 }).status == -50)
    }

    /// Other bytes hold to the rules of the first ones, and say their size.
    @Test func otherBytesAreAKeyToo() throws {
        let key = try tests.reference(make("mine", 256))
        let query: [String: Any] = ["class": "keys", "labl": "mine"]
        #expect(try probe.call("update", query, change: ["v_Data": tests.tag("short")]).status == -50)
        #expect(try tests.use("export", key, "").data?.count == 32)
        #expect(try probe.call("update", query, change: ["v_Data": tests.tag("0123456789abcdef")]).status == 0)
        let found = try tests.find(["labl": "mine", "r_Ref": true, "r_Attributes": true]).dictionary
        #expect(found?["bsiz"] as? Int == 128 && found?["esiz"] as? Int == 128)
        #expect(try tests.use("export", key, "").data == Data("0123456789abcdef".utf8))
        // Nor do other bytes become a key by a change of their type.
        let bytes: [String: Any] = ["class": "keys", "kcls": "2", "type": "14", "labl": "bytes"]
        #expect(try probe.call("add", bytes.merging(["v_Data": tests.tag("short")]) { $1 }).status == 0)
        let other: [String: Any] = ["class": "keys", "labl": "bytes"]
        #expect(try probe.call("update", other, change: ["type": Self.aes]).status == -50)
        let both: [String: Any] = ["type": Self.aes, "v_Data": tests.tag("0123456789abcdef")]
        #expect(try probe.call("update", other, change: both).status == 0)
        #expect(try tests.find(["labl": "bytes", "bsiz": 128, "r_Ref": true]).status == 0)
    }

    @Test func twoOfOneNameAreTwo() throws {
        _ = try tests.reference(make("one name"))
        _ = try tests.reference(make("one name"))
        let label = ["klbl": tests.tag("one label")]
        _ = try tests.reference(make("one name", 256, label))
        #expect(try make("one name", 256, label).status == -25299)
        #expect(try tests.find(["kcls": "2", "r_Ref": true, "m_Limit": "m_LimitAll"]).array?.count == 3)
    }

    @Test func anotherProgramHasNothingOfIt() throws {
        _ = try tests.reference(make("mine"))
        let other = try tests.household.probe("stranger")
        #expect(try other.call("add", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try tests.find(["labl": "mine", "r_Ref": true], of: other).status == -25300)
    }

    @Test func aLockedOneIsNotUsed() throws {
        let key = try tests.reference(make("mine"))
        try tests.household.passcode(.set, Household.passcode)
        try tests.household.enter(.locked)
        let inner = try tests.reference(
            probe.ask(["call": "makeSymmetric", "query": ["type": Self.aes, "bsiz": 128] as [String: Any]]))
        #expect(try tests.use("wrap", inner, "", ["other": key]).status == -25308)
        try tests.household.enter(.unlocked)
        #expect(try tests.use("wrap", inner, "", ["other": key]).data?.count == 24)
    }
}

/// Tests of symmetric keys that ask for their owner, with the real daemons, agent and pinentry.
@Suite struct SymmetricKeyPresenceTests {
    @Test func thePersonIsAskedForEachUse() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("keeper")
        let make: [String: Any] = [
            "call": "makeSymmetric",
            "query": [
                "type": "2147483649", "bsiz": 256, "perm": true, "labl": "asks",
                "accc": ["accessControl": "ak", "flags": 1] as [String: Any],
            ] as [String: Any],
        ]
        let export: [String: Any] = ["call": "export", "query": ["key": ["reference": 0]] as [String: Any]]
        let answers = try asking.answers(of: program, to: [make, export, export]) {
            for _ in 0..<2 { try asking.type(Household.passcode) }
        }
        #expect(answers.map(\.status) == [0, 0, 0])
        #expect(answers[1].data?.count == 32 && answers[1].data == answers[2].data)
    }
}
