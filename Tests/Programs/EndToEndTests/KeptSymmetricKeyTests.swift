import Foundation
import TestSupport
import Testing

/// Tests of symmetric keys that never leave the daemons, from Apple's calls in a program down to keyd
/// (behaviour/symmetric-keys.md).
@Suite struct KeptSymmetricKeyTests {
    private static let aes = "2147483649"
    /// RFC 3394, 4.6.
    private static let published = (
        key: Data(0..<32), inner: Data((0..<16).map { $0 * 0x11 } + (0..<16)),
        wrapped: "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
    )

    private let tests: KeyItemTests
    private var probe: ProbeProcess { tests.probe }

    init() throws { tests = try KeyItemTests() }

    private func make(_ name: String, _ more: [String: Any] = [:], call: String = "makeSymmetric") throws -> ProbeAnswer
    {
        let query: [String: Any] = ["type": Self.aes, "bsiz": 256, "perm": true, "extr": false, "labl": name]
        return try probe.ask(["call": call, "query": query.merging(more) { $1 }])
    }

    private func inMemory(_ bytes: Data) throws -> [String: Int] {
        let query: [String: Any] = ["type": Self.aes, "data": KeyItemTests.base64(bytes)]
        return try tests.reference(probe.ask(["call": "readSymmetric", "query": query]))
    }

    private func wrap(_ inner: [String: Int], by key: [String: Int]) throws -> ProbeAnswer {
        try tests.use("wrap", inner, "", ["other": key])
    }

    private func unwrap(_ wrapped: Data?, by key: [String: Int], _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        try probe.ask([
            "call": "unwrap", "query": ["key": key, "data": KeyItemTests.base64(wrapped)] as [String: Any],
            "parameters": more,
        ])
    }

    private func export(_ key: [String: Int]) throws -> ProbeAnswer { try tests.use("export", key, "") }

    /// Nothing gives the bytes of the key.
    private func expectKept(_ key: [String: Int], _ name: String) throws {
        #expect(try export(key).status == -4)
        #expect(try tests.use("raw", key, "").status == -4, "by the protocol itself")
        let found = try tests.find(["labl": name, "r_Data": true])
        #expect(found.status == 0 && found.result == nil)
        let outer = try inMemory(Self.published.key)
        #expect(try wrap(key, by: outer).status == -4, "to wrap is to take out")
        #expect(try wrap(key, by: key).status == -4)
        let attributes = try tests.use("keyAttributes", key, "").dictionary
        #expect(attributes?["extr"] as? Bool == false && attributes?["v_Data"] == nil)
        #expect(attributes?["labl"] as? String == name && attributes?["kcls"] as? String == "2")
    }

    @Test(arguments: [128, 192, 256])
    func aKeyIsMadeFoundUsedAndDeleted(_ bits: Int) throws {
        let made = try tests.reference(make("kept", ["bsiz": bits]))
        tests.household.dismiss()
        let found = try tests.reference(
            tests.find(["kcls": "2", "type": Self.aes, "bsiz": bits, "labl": "kept", "r_Ref": true]))
        try expectKept(found, "kept")
        let inner = try inMemory(Self.published.inner)
        let wrapped = try wrap(inner, by: made)
        #expect(try wrapped.data?.count == 40 && wrapped.data == wrap(inner, by: found).data)
        let unwrapped = try tests.reference(unwrap(wrapped.data, by: found))
        #expect(try export(unwrapped).data == Self.published.inner)
        // What another key wrapped is not unwrapped, and the key is as it was.
        let other = try tests.reference(make("other", ["bsiz": bits]))
        #expect(try unwrap(wrapped.data, by: other).status == -26275)
        #expect(try unwrap(wrapped.data?.dropLast(), by: found).status == -26275)
        #expect(try wrap(inner, by: other).data?.count == 40)
        #expect(try tests.use("sign", found, KeyItemTests.ecdsa, ["data": KeyItemTests.message]).status == -50)
        #expect(try probe.call("delete", ["class": "keys", "v_Ref": found]).status == 0)
        #expect(try wrap(inner, by: made).status == -25300)
        #expect(try tests.find(["labl": "kept", "r_Ref": true]).status == -25300)
    }

    /// A key that was in the program is the same key inside.
    @Test func aKeyIsReadDerivedOrUnwrapped() throws {
        let data: [String: Any] = ["data": KeyItemTests.base64(Self.published.key)]
        let read = try tests.reference(make("read", data, call: "readSymmetric"))
        try expectKept(read, "read")
        let inner = try inMemory(Self.published.inner)
        let wrapped = try #require(try wrap(inner, by: read).data)
        #expect(wrapped.map { String(format: "%02x", $0) }.joined() == Self.published.wrapped)
        let derivation: [String: Any] = ["salt": tests.tag("salt"), "rounds": 10]
        let derived = try tests.reference(make("derived", derivation, call: "deriveSymmetric"))
        try expectKept(derived, "derived")
        let query: [String: Any] = ["type": Self.aes, "bsiz": 256]
        let same = try tests.reference(
            probe.ask(["call": "deriveSymmetric", "query": query.merging(derivation) { $1 }]))
        #expect(try wrap(inner, by: derived).data == wrap(inner, by: same).data)
        let item: [String: Any] = ["perm": true, "extr": false, "labl": "unwrapped"]
        let unwrapped = try tests.reference(unwrap(wrapped, by: read, item))
        try expectKept(unwrapped, "unwrapped")
        #expect(try wrap(inner, by: unwrapped).data == wrap(inner, by: inner).data)
        #expect(try unwrap(wrapped, by: read, ["extr": false]).status == -50)
    }

    @Test func aKeyIsAddedAsOne() throws {
        let key = try inMemory(Self.published.key)
        let added = try tests.reference(
            probe.call("add", ["v_Ref": key, "labl": "added", "extr": false, "r_Ref": true]))
        try expectKept(added, "added")
        let raw: [String: Any] = [
            "class": "keys", "kcls": "2", "type": Self.aes, "labl": "raw", "klbl": tests.tag("raw"), "extr": false,
        ]
        let bytes = ["v_Data": KeyItemTests.base64(Self.published.key)]
        #expect(try probe.call("add", raw.merging(bytes) { $1 }).status == 0)
        let stored = try tests.reference(tests.find(["labl": "raw", "bsiz": 256, "r_Ref": true]))
        try expectKept(stored, "raw")
        let inner = try inMemory(Self.published.inner)
        for key in [added, stored] { #expect(try wrap(inner, by: key).data == wrap(inner, by: added).data) }
        #expect(try probe.call("add", raw.merging(["v_Data": tests.tag("too short")]) { $1 }).status == -50)
    }

    @Test func itStaysInsideWhateverIsChanged() throws {
        let key = try tests.reference(make("kept"))
        let inner = try inMemory(Self.published.inner)
        let wrapped = try wrap(inner, by: key).data
        let query: [String: Any] = ["class": "keys", "labl": "kept"]
        #expect(try probe.call("update", query, change: ["v_Data": KeyItemTests.base64(Data(0..<32))]).status == -50)
        // Moved to another class, it has a new row key.
        #expect(try probe.call("update", query, change: ["pdmn": "ck", "extr": true]).status == 0)
        let moved = try tests.reference(tests.find(["labl": "kept", "r_Ref": true]))
        #expect(try export(moved).status == -4 && tests.use("raw", moved, "").status == -4)
        #expect(try wrap(inner, by: moved).data == wrapped)
    }

    @Test func anotherProgramHasNothingOfIt() throws {
        _ = try tests.reference(make("kept"))
        let other = try tests.household.probe("stranger")
        #expect(try other.call("add", ["class": "genp", "acct": "x"]).status == 0)
        #expect(try tests.find(["labl": "kept", "r_Ref": true], of: other).status == -25300)
    }

    @Test func aLockedOneIsNotUsedAndNoneIsMade() throws {
        let key = try tests.reference(make("kept"))
        let inner = try inMemory(Self.published.inner)
        let wrapped = try wrap(inner, by: key).data
        try tests.household.passcode(.set, Household.passcode)
        try tests.household.enter(.locked)
        #expect(try wrap(inner, by: key).status == -25308)
        #expect(try unwrap(wrapped, by: key).status == -25308)
        #expect(try make("another").status == -25308)
        // Setting the passcode has sealed it anew.
        try tests.household.enter(.unlocked)
        #expect(try wrap(inner, by: key).data == wrapped)
        #expect(try unwrap(wrapped, by: key).status == 0)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        #expect(try make("kept", ["perm": false]).status == -50)
        #expect(try make("kept", ["bsiz": 64]).status == -50)
        #expect(try make("kept", ["v_Data": tests.tag("0123456789abcdef")]).status == -50)
        #expect(try make("kept", ["tkid": "com.apple.setoken"]).status == -50)
        let pairs: [String: Any] = ["accessControl": "ak", "flags": 1 << 30 | 1]
        #expect(try make("kept", ["accc": pairs]).status == -50)
        #expect(try tests.find(["labl": "kept", "r_Ref": true]).status == -25300)
    }

    /// Only a process that uses the key has it, and only during the use.
    @Test func theBytesAreInNoOtherMemory() throws {
        guard Privilege.isThere() else { return }
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        let query: [String: Any] = ["data": KeyItemTests.base64(key)]
        _ = try tests.reference(make("scanned", query, call: "readSymmetric"))
        let patterns = [[UInt8](key), [UInt8](key.prefix(16)), [UInt8](key.suffix(16))]
        let household = tests.household
        let user = try household.probe()
        let found = try tests.reference(tests.find(["labl": "scanned", "r_Ref": true], of: user))
        let inner = try tests.reference(
            user.ask(["call": "makeSymmetric", "query": ["type": Self.aes, "bsiz": 128] as [String: Any]]))
        for _ in 0..<3 {
            let wrapped = try tests.use("wrap", inner, "", ["other": found], of: user)
            #expect(
                try tests.use("unwrap", found, "", ["data": KeyItemTests.base64(wrapped.data)], of: user).status == 0)
        }
        // The search does find what is there.
        let kept = try inMemory(key)
        #expect(!ProcessMemory(of: probe.pid).regions(holding: patterns).isEmpty)
        #expect(try export(kept).data == key)
        let daemons = [try #require(household.daemonPID), try #require(household.custodianPID)]
        for pid in [user.pid] + daemons + household.helperPIDs + household.keyWorkerPIDs {
            let regions = ProcessMemory(of: pid).regions(holding: patterns).map { "\($0.name) \($0.range)" }
            #expect(regions == [], "\(ProcessTable.name(of: pid) ?? "?")")
        }
    }
}

/// Tests of such keys that ask for their owner, with the real daemons, agent and pinentry.
@Suite struct KeptSymmetricKeyPresenceTests {
    @Test func thePersonIsAskedForEachUse() throws {
        let asking = try AskingHousehold("/usr/bin/pinentry-tty")
        let program = try asking.household.application("keeper")
        func make(_ more: [String: Any]) -> [String: Any] {
            let query: [String: Any] = ["type": "2147483649", "bsiz": 256]
            return ["call": "makeSymmetric", "query": query.merging(more) { $1 }]
        }
        let control: [String: Any] = ["accessControl": "ak", "flags": 1]
        let kept = make(["perm": true, "extr": false, "labl": "asks", "accc": control])
        func wrap(_ inner: Int) -> [String: Any] {
            ["call": "wrap", "query": ["key": ["reference": inner], "other": ["reference": 0]] as [String: Any]]
        }
        let answers = try asking.answers(of: program, to: [kept, make([:]), wrap(1), wrap(1), wrap(0)]) {
            for _ in 0..<2 { try asking.type(Household.passcode) }
        }
        #expect(answers.map(\.status) == [0, 0, 0, 0, -4])
        #expect(answers[2].data?.count == 40 && answers[2].data == answers[3].data)
    }
}
