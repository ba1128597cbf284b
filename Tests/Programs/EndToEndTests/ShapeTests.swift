import Foundation
import Testing

/// Tests of the results for real items, in every shape that a query can ask for.
@Suite struct ShapeTests {
    private static var base: [String: Any] { ["class": "genp", "svce": "shapes"] }

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private func addThree() throws {
        for name in ["ada", "bea", "cleo"] {
            let item = Self.base.merging(["acct": name, "v_Data": PasswordTests.data("secret of \(name)")]) { $1 }
            try #require(try probe.call("add", item).status == 0)
        }
    }

    private func find(_ query: [String: Any]) throws -> ProbeAnswer {
        try probe.call("find", Self.base.merging(query) { $1 })
    }

    /// Every combination of result types is tried, for one item and for all.
    @Test func everyCombinationOfReturns() throws {
        try addThree()
        for mask in 0..<16 {
            let (data, attributes) = (mask & 1 != 0, mask & 2 != 0)
            let (reference, object) = (mask & 4 != 0, mask & 8 != 0)
            var query: [String: Any] = [:]
            if data { query["r_Data"] = true }
            if attributes { query["r_Attributes"] = true }
            if reference { query["r_PersistentRef"] = true }
            if object { query["r_Ref"] = true }
            for limit in ["m_LimitOne", "m_LimitAll"] as [Any] + [2, 3, 9] as [Any] {
                query["m_Limit"] = limit
                let answer = try find(query)
                #expect(answer.status == 0)
                let count = (limit as? Int).map { min($0, 3) } ?? (limit as? String == "m_LimitOne" ? 1 : 3)
                let isOne = limit as? String == "m_LimitOne"
                if mask == 0 {
                    #expect(isOne ? answer.result == nil : (answer.result as? [Any])?.isEmpty == true, "\(query)")
                    continue
                }
                let results = isOne ? [answer.result as Any] : answer.result as? [Any] ?? []
                #expect(results.count == count, "\(query)")
                for result in results {
                    check(result, data: data, attributes: attributes, reference: reference, object: object, query)
                }
            }
        }
    }

    private func check(
        _ result: Any, data: Bool, attributes: Bool, reference: Bool, object: Bool, _ query: [String: Any]
    ) {
        let kinds = [data, attributes, reference, object].count { $0 }
        guard kinds > 1 || attributes else {
            if object { return #expect((result as? [String: Any])?["reference"] is Int, "\(query)") }
            #expect((ProbeAnswer.data(result)?.count ?? 0) > 0, "\(query)")
            if data {
                let text = String(decoding: ProbeAnswer.data(result) ?? Data(), as: UTF8.self)
                #expect(text.hasPrefix("secret of "))
            }
            return
        }
        guard let dictionary = result as? [String: Any] else {
            Issue.record("no dictionary: \(query)")
            return
        }
        let account = dictionary["acct"] as? String
        if attributes { #expect(account != nil && dictionary["svce"] as? String == "shapes", "\(query)") }
        #expect((dictionary["v_Data"] != nil) == data, "\(query)")
        #expect((dictionary["v_PersistentRef"] != nil) == reference, "\(query)")
        #expect((dictionary["v_Ref"] != nil) == object && (dictionary["class"] != nil) == object, "\(query)")
        if data, let account {
            #expect(ProbeAnswer.data(dictionary["v_Data"]) == Data("secret of \(account)".utf8))
        }
    }

    @Test func limitsOfEverySize() throws {
        try addThree()
        let all: [String: Any] = ["r_Attributes": true]
        #expect(try find(all.merging(["m_Limit": 0]) { $1 }).status == -25300)
        #expect(try find(all.merging(["m_Limit": -1]) { $1 }).array?.count == 3)
        #expect(try find(all.merging(["m_Limit": Int.min]) { $1 }).array?.count == 3)
        #expect(try find(all.merging(["m_Limit": 1]) { $1 }).dictionary != nil)
        #expect(try find(all.merging(["m_Limit": "all"]) { $1 }).status == -50)
    }

    /// Without a place for a result, the call reports whether an item exists; with one, success always writes to it.
    @Test func theResultAndItsPlace() throws {
        try addThree()
        func ask(_ query: [String: Any], place: Any) throws -> ProbeAnswer {
            try probe.ask(["call": "find", "query": Self.base.merging(query) { $1 }, "place": place])
        }
        for types in [["r_Data"], ["r_Attributes", "r_Data"], ["r_Ref"], ["r_PersistentRef"], []] {
            let query = Dictionary(uniqueKeysWithValues: types.map { ($0, true as Any) })
            for limit in ["m_LimitOne", "m_LimitAll"] {
                let there = query.merging(["m_Limit": limit]) { $1 }
                #expect(try ask(there, place: false).status == 0, "\(there)")
                #expect(try ask(there.merging(["acct": "nobody"]) { $1 }, place: false).status == -25300)
            }
        }
        #expect(try ask(["m_Limit": 0, "r_Data": true], place: false).status == -25300)
        let untouched = try ask(["acct": "nobody", "r_Data": true], place: "before")
        #expect(untouched.status == -25300 && untouched.result as? String == "before")
        let nothing = try ask(["acct": "ada"], place: "before")
        #expect(nothing.status == 0 && nothing.result == nil)
        let added = try probe.ask([
            "call": "add", "query": Self.base.merging(["acct": "dan", "r_Data": true]) { $1 }, "place": false,
        ])
        #expect(added.status == 0)
    }

    @Test func aSearchWithoutALimitFindsOne() throws {
        try addThree()
        #expect(try find(["r_Attributes": true]).dictionary != nil)
        #expect(try find(["r_Data": true, "acct": "nobody", "m_Limit": "m_LimitAll"]).status == -25300)
    }

    @Test func manyItemsChangeAndGoTogether() throws {
        try addThree()
        #expect(try probe.call("update", Self.base, change: ["labl": "all of them"]).status == 0)
        let all: [String: Any] = ["r_Attributes": true, "m_Limit": "m_LimitAll"]
        #expect(try find(all).array?.compactMap { $0["labl"] as? String } == Array(repeating: "all of them", count: 3))
        // One account for three items is refused, and none of them changes.
        #expect(try probe.call("update", Self.base, change: ["acct": "ada", "labl": "half"]).status == -25299)
        #expect(try find(all).array?.compactMap { $0["labl"] as? String } == Array(repeating: "all of them", count: 3))
        #expect(try probe.call("delete", Self.base).status == 0)
        #expect(try find(all).status == -25300)
    }

    @Test func persistentReferencesOutliveChanges() throws {
        try addThree()
        let added = try probe.call(
            "add",
            Self.base.merging(["acct": "dora", "r_PersistentRef": true, "v_Data": PasswordTests.data("1")]) { $1 })
        let reference = try #require(added.data)
        let asked = ["v_PersistentRef": ["data": reference.base64EncodedString()]] as [String: Any]
        let query = asked.merging(["r_Attributes": true, "r_Data": true]) { $1 }
        #expect(try probe.call("find", query).dictionary?["acct"] as? String == "dora")
        let change = ["acct": "dorothea", "svce": "elsewhere", "v_Data": PasswordTests.data("2")] as [String: Any]
        #expect(try probe.call("update", Self.base.merging(["acct": "dora"]) { $1 }, change: change).status == 0)
        household.dismiss()
        let found = try probe.call("find", query).dictionary
        #expect(found?["acct"] as? String == "dorothea")
        #expect(ProbeAnswer.data(found?["v_Data"]) == Data("2".utf8))
        #expect(try probe.call("delete", asked).status == 0)
        #expect(try probe.call("find", query).status == -25300)
        // A reference to another program's item finds nothing.
        #expect(try household.probe("other").call("find", query).status == -25300)
    }

    @Test func synchronizableItemsAreOthers() throws {
        let item = Self.base.merging(["acct": "ada", "v_Data": PasswordTests.data("here")]) { $1 }
        #expect(try probe.call("add", item).status == 0)
        let synced = item.merging(["sync": true, "v_Data": PasswordTests.data("everywhere")]) { $1 }
        #expect(try probe.call("add", synced).status == 0)
        #expect(try find(["r_Data": true]).data == Data("here".utf8))
        #expect(try find(["r_Data": true, "sync": true]).data == Data("everywhere".utf8))
        // A synchronizable item may have any protection class; both attributes come back as they were given.
        let bound = synced.merging(["acct": "bound", "pdmn": "cku"]) { $1 }
        #expect(try probe.call("add", bound).status == 0)
        let attributes = try find(["acct": "bound", "sync": true, "r_Attributes": true]).dictionary
        #expect(attributes?["pdmn"] as? String == "cku" && attributes?["sync"] as? Int == 1)
        let bind = try probe.call(
            "update", Self.base.merging(["acct": "ada", "sync": true]) { $1 }, change: ["pdmn": "aku"])
        #expect(bind.status == 0)
        #expect(try probe.call("delete", Self.base.merging(["acct": "bound", "sync": true]) { $1 }).status == 0)
        let any: [String: Any] = ["r_Data": true, "sync": "syna", "m_Limit": "m_LimitAll"]
        #expect((try find(any).result as? [Any])?.count == 2)
        #expect(try probe.call("delete", Self.base.merging(["sync": "syna"]) { $1 }).status == 0)
        #expect(try find(any).status == -25300)
        #expect(try probe.call("add", synced).status == 0)
    }

    @Test func attributesComeBackAsTheyWent() throws {
        let item: [String: Any] = [
            "class": "genp", "svce": PasswordTests.data("service as data"), "acct": "account as text",
            "labl": "Lábel ✓", "icmt": "comment", "desc": "kind", "crtr": 1_234_567_890, "type": 42, "invi": true,
            "nega": false, "gena": ["data": Data([0, 1, 254, 255]).base64EncodedString()], "cdat": ["date": 7.5],
            "mdat": ["date": 8.5],
            "v_Data": PasswordTests.data("s"),
        ]
        #expect(try probe.call("add", item).status == 0)
        household.dismiss()
        let query: [String: Any] = ["class": "genp", "acct": "account as text", "r_Attributes": true]
        let found = try #require(try probe.call("find", query).dictionary)
        #expect(ProbeAnswer.data(found["svce"]) == Data("service as data".utf8))
        #expect(found["acct"] as? String == "account as text")
        #expect(found["labl"] as? String == "Lábel ✓")
        #expect(found["crtr"] as? Int == 1_234_567_890 && found["type"] as? Int == 42)
        #expect(found["invi"] as? Int == 1 && found["nega"] as? Int == 0)
        #expect(ProbeAnswer.data(found["gena"]) == Data([0, 1, 254, 255]))
        // The dates are those of the addition, whatever dates were given.
        for key in ["cdat", "mdat"] {
            let date = (found[key] as? [String: Any])?["date"] as? Double ?? 0
            #expect(abs(date - Date().timeIntervalSinceReferenceDate) < 600, "\(key)")
        }
        #expect(found["pdmn"] as? String == "ak")
        #expect((found["agrp"] as? String)?.hasSuffix("/keeper") == true)
        // Text and data with equal bytes are the same value.
        let other: [String: Any] = ["class": "genp", "svce": "service as data", "r_Attributes": true]
        #expect(try probe.call("find", other).status == 0)
    }

    @Test func anInternetPassword() throws {
        let item: [String: Any] = [
            "class": "inet", "srvr": "example.org", "acct": "ada", "ptcl": "htps", "port": 8443, "path": "/login",
            "atyp": "form", "sdmn": "realm", "v_Data": PasswordTests.data("s3cret"),
        ]
        #expect(try probe.call("add", item).status == 0)
        #expect(try probe.call("add", item).status == -25299)
        #expect(try probe.call("add", item.merging(["port": 443]) { $1 }).status == 0)
        let query: [String: Any] = ["class": "inet", "srvr": "example.org", "port": 8443, "r_Attributes": true]
        let found = try probe.call("find", query).dictionary
        #expect(found?["port"] as? Int == 8443 && found?["ptcl"] as? String == "htps")
        #expect(found?["path"] as? String == "/login" && found?["sdmn"] as? String == "realm")
    }

    @Test func emptyAndMissingData() throws {
        #expect(try probe.call("add", Self.base.merging(["acct": "empty", "v_Data": ["data": ""]]) { $1 }).status == 0)
        #expect(try find(["acct": "empty", "r_Data": true]).data == Data())
        #expect(try probe.call("add", Self.base.merging(["acct": "none"]) { $1 }).status == 0)
        #expect(try find(["acct": "none"]).status == 0)
        // An item without data gives success without a result. A search for all returns only the items that have data.
        let alone = try find(["acct": "none", "r_Data": true])
        #expect(alone.status == 0 && alone.result == nil)
        #expect(try find(["acct": "none", "r_Data": true, "m_Limit": "m_LimitAll"]).array?.isEmpty == true)
        #expect((try find(["r_Data": true, "m_Limit": "m_LimitAll"]).result as? [Any])?.count == 1)
        let added = try probe.call("add", Self.base.merging(["acct": "bare", "r_Data": true]) { $1 })
        #expect(added.status == 0 && added.data == Data())
        #expect(try probe.call("delete", Self.base.merging(["acct": "bare"]) { $1 }).status == 0)
        let both: [String: Any] = ["acct": "none", "r_Attributes": true, "r_Data": true]
        #expect(try find(both).dictionary?["acct"] as? String == "none")
        let change = ["v_Data": PasswordTests.data("late")]
        #expect(try probe.call("update", Self.base.merging(["acct": "none"]) { $1 }, change: change).status == 0)
        #expect(try find(["acct": "none", "r_Data": true]).data == Data("late".utf8))
    }

    @Test func theLargestSecret() throws {
        func item(_ count: Int) -> [String: Any] {
            Self.base.merging(["acct": "large", "v_Data": ["repeat": count]]) { $1 }
        }
        let tooLarge = (16 << 20) + 1
        #expect(try probe.call("add", item(tooLarge)).status == -25302)
        #expect(try probe.call("add", item(16 << 20)).status == 0)
        let query = Self.base.merging(["acct": "large", "r_Data": true]) { $1 }
        let answer = try probe.ask(["call": "find", "query": query, "brief": true])
        #expect(answer.dictionary?["count"] as? Int == 16 << 20)
        let change = ["v_Data": ["repeat": tooLarge]]
        #expect(try probe.call("update", Self.base, change: change).status == -25302)
        #expect(
            try probe.ask(["call": "find", "query": query, "brief": true]).dictionary?["count"] as? Int == 16 << 20)
    }

    @Test func eightThreadsOfOneProgram() throws {
        #expect(try probe.ask(["call": "threads", "count": 8, "rounds": 15]).status == 0)
    }

    @Test func manyLargeSecretsAtOnceTakeBoundedMemory() throws {
        let probes = try (0..<10).map { _ in try household.probe("large") }
        try Threads.run(probes.count) { index in
            let item: [String: Any] = ["class": "genp", "acct": "large \(index)", "v_Data": ["repeat": 16 << 20]]
            try #require(try probes[index].call("add", item).status == 0)
        }
        let daemon = try #require(household.daemonPID)
        let afterAdds = ProcessTable.kibibytes("VmHWM", of: daemon)
        try Threads.run(probes.count) { index in
            let query: [String: Any] = ["class": "genp", "acct": "large \(index)", "r_Data": true]
            let answer = try probes[index].ask(["call": "find", "query": query, "brief": true])
            try #require(answer.dictionary?["count"] as? Int == 16 << 20)
        }
        let afterFinds = ProcessTable.kibibytes("VmHWM", of: daemon)
        print("memory of the daemon: \(afterAdds / 1024) MiB after adds, \(afterFinds / 1024) MiB after finds")
        #expect(afterAdds < 400 << 10)
        #expect(afterFinds < 400 << 10)
    }
}
