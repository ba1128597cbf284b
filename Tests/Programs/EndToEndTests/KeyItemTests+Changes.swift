import Foundation
import Testing

/// Tests that an item of class key says of its key what the key is, when it is added and when it is changed.
extension KeyItemTests {
    private static let enclave = "com.apple.setoken"

    private func update(_ name: String, _ change: [String: Any]) throws -> Int {
        try probe.call("update", ["class": "keys", "atag": tag(name)], change: change).status
    }

    /// The bytes of a private key in memory.
    private func bytes() throws -> [String: String] {
        let made = try reference(
            probe.ask(["call": "makeKey", "query": ["type": Self.ec, "bsiz": 256] as [String: Any]]))
        return Self.base64(try use("export", made, "").data)
    }

    /// Without a type that is known, the bytes of a private key would be given out like a password.
    @Test func noBytesAreHalfOfAPair() throws {
        let bytes = try bytes()
        let wrong: [[String: Any]] = [
            ["kcls": "1", "extr": false], ["kcls": "1", "type": "43"], ["kcls": "1", "type": "x"], ["kcls": "0"],
            ["kcls": "7"], ["kcls": "x"], ["kcls": "1", "tkid": Self.enclave], ["type": Self.ec, "tkid": Self.enclave],
            ["kcls": "2", "type": "2147483649", "tkid": Self.enclave], ["kcls": "1", "type": Self.ec, "extr": "no"],
            ["kcls": "1", "type": Self.ec, "extr": "00"], ["kcls": "1", "type": Self.ec, "extr": "false"],
        ]
        for one in wrong {
            let item: [String: Any] = ["class": "keys", "atag": tag("wrong"), "v_Data": bytes]
            #expect(try probe.call("add", item.merging(one) { $1 }).status == -50, "\(one)")
        }
        let empty: [String: Any] = ["class": "keys", "atag": tag("wrong"), "tkid": Self.enclave]
        #expect(try probe.call("add", empty).status == -50, "without bytes")
        #expect(try find(["atag": tag("wrong"), "r_Attributes": true]).status == -25300)
        // What says nothing of a pair is plain bytes, whoever stores it.
        for one: [String: Any] in [[:], ["type": Self.ec], ["kcls": "2"], ["kcls": "2", "type": "14"]] {
            let item: [String: Any] = ["class": "keys", "atag": tag("\(one)"), "v_Data": bytes]
            #expect(try probe.call("add", item.merging(one) { $1 }).status == 0, "\(one)")
            #expect(try find(["atag": tag("\(one)"), "r_Data": true]).data != nil)
            #expect(try update("\(one)", ["v_Data": tag("other bytes")]) == 0, "\(one)")
            #expect(try find(["atag": tag("\(one)"), "r_Data": true]).data == Data("other bytes".utf8))
            // Nor do they become half of a pair later.
            for change: [String: Any] in [["kcls": "1"], ["kcls": "7"], ["tkid": Self.enclave]] {
                #expect(try update("\(one)", change) == -50, "\(one) \(change)")
            }
        }
    }

    /// An item without class and type has numbers for both in its result.
    @Test func theResultOfPlainBytesIsAddedAgain() throws {
        let item: [String: Any] = ["class": "keys", "atag": tag("plain"), "v_Data": tag("bytes")]
        #expect(try probe.call("add", item).status == 0)
        let query: [String: Any] = ["class": "keys", "atag": tag("plain")]
        let found = try #require(try find(["atag": tag("plain"), "r_Attributes": true]).dictionary)
        #expect(try probe.call("delete", query).status == 0)
        let again = item.merging(["kcls": found["kcls"] ?? 0, "type": found["type"] ?? 0]) { $1 }
        #expect(try probe.call("add", again).status == 0, "\(found)")
        #expect(try find(["atag": tag("plain"), "r_Data": true]).data == Data("bytes".utf8))
    }

    /// A change of the access control holds to the rules of an addition.
    @Test func aChangeSaysWhoCalculates() throws {
        func control(_ flags: Int) -> [String: Any] { ["accc": ["accessControl": "ak", "flags": flags]] }
        let usage = 1 << 30
        let key = try reference(make("key"))
        for flags in [0, 1] { #expect(try update("key", control(flags)) == -50, "\(flags)") }
        #expect(try update("key", control(usage | 1 << 31)) == -4, "a password of the program's")
        #expect(try use("export", key, "").data?.count == 97 && find(["kcls": "1", "r_Data": true]).data != nil)
        _ = try reference(make("other"))
        #expect(try update("key", control(usage)) == 0)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
        #expect(try use("export", key, "").status == -4 && use("raw", key, "").status == -4)
        let found = try find(["atag": tag("key"), "kcls": "1", "r_Data": true, "r_Attributes": true])
        #expect(found.status == 0 && found.dictionary?["v_Data"] == nil && found.dictionary?["extr"] as? Int == 0)
        // It takes nothing from other keys.
        let all = try find(["kcls": "1", "r_Data": true, "r_Attributes": true, "m_Limit": "m_LimitAll"])
        #expect(all.array?.count == 2 && all.array?.filter { $0["v_Data"] != nil }.count == 1)
        // No change makes it exportable again.
        #expect(try update("key", ["pdmn": "ak", "extr": true]) == 0)
        #expect(try use("raw", key, "").status == -4)
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
    }

    /// The same by the attribute that says so.
    @Test func aChangeTakesTheBytesAway() throws {
        let key = try reference(make("key"))
        for value in ["abc", 7] as [any Sendable] { #expect(try update("key", ["extr": value]) == -50, "\(value)") }
        #expect(try update("key", ["extr": true]) == 0)
        #expect(try use("export", key, "").data?.count == 97)
        #expect(try update("key", ["extr": false]) == 0)
        for change in [[:], ["extr": true]] as [[String: Any]] {
            if !change.isEmpty { #expect(try update("key", change) == 0) }
            #expect(try use("export", key, "").status == -4 && use("raw", key, "").status == -4)
            let found = try find(["atag": tag("key"), "kcls": "1", "r_Data": true, "r_Attributes": true])
            #expect(found.status == 0 && found.dictionary?["v_Data"] == nil && found.dictionary?["extr"] as? Int == 0)
        }
        #expect(try use("sign", key, Self.ecdsa, ["data": Self.message]).status == 0)
    }

    /// What the key is, no change of its item says otherwise.
    @Test func aChangeSaysNothingElseOfTheKey() throws {
        _ = try reference(make("soft"))
        _ = try reference(make("hard", Self.ec, 256, ["tkid": Self.enclave]))
        for change: [String: Any] in [
            ["tkid": Self.enclave], ["tkid": "x"], ["kcls": "0"], ["kcls": "2"], ["type": Self.rsa], ["bsiz": 384],
        ] {
            #expect(try update("soft", change) == -50, "\(change)")
        }
        #expect(try update("hard", ["tkid": "x"]) == -50)
        #expect(try update("soft", ["kcls": "1", "type": Self.ec, "bsiz": 256, "labl": "same"]) == 0)
        #expect(try update("hard", ["tkid": Self.enclave, "labl": "same"]) == 0)
        #expect(try find(["labl": "same", "kcls": "1", "r_Ref": true, "m_Limit": "m_LimitAll"]).array?.count == 2)
        let tokens = try find(["tkid": Self.enclave, "r_Attributes": true, "m_Limit": "m_LimitAll"]).array
        #expect(tokens?.count == 1 && (tokens?.first?["atag"]).map { ProbeAnswer.data($0) } == Data("hard".utf8))
    }
}
