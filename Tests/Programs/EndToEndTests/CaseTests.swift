import Foundation
import Testing

/// Tests of `kSecMatchCaseInsensitive`, from a program's call to the disk and back.
@Suite struct CaseTests {
    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
        for (service, account) in [("Mail", "Ada"), ("mail", "ada"), ("Straße", "Bea")] {
            let item: [String: Any] = [
                "class": "genp", "svce": service, "acct": account,
                "v_Data": PasswordTests.data("\(service) \(account)"),
            ]
            try #require(try probe.call("add", item).status == 0)
        }
        let item: [String: Any] = [
            "class": "inet", "srvr": "Example.ORG", "acct": "Ada", "ptcl": "htps", "v_Data": PasswordTests.data("web"),
        ]
        try #require(try probe.call("add", item).status == 0)
    }

    private func find(_ query: [String: Any], ignoring: Any? = true) throws -> ProbeAnswer {
        var query = query.merging(["r_Data": true]) { $1 }
        query["m_CaseInsensitive"] = ignoring
        return try probe.call("find", query)
    }

    private func secrets(_ query: [String: Any], ignoring: Any? = true) throws -> Set<String> {
        let answer = try find(query.merging(["m_Limit": "m_LimitAll"]) { $1 }, ignoring: ignoring)
        let all = answer.result as? [Any] ?? []
        return Set(all.compactMap { ProbeAnswer.data($0).map { String(decoding: $0, as: UTF8.self) } })
    }

    @Test func caseDoesNotCountInASearch() throws {
        let mail: [String: Any] = ["class": "genp", "svce": "MAIL", "acct": "ADA"]
        #expect(try secrets(mail) == ["Mail Ada", "mail ada"])
        #expect(try secrets(mail, ignoring: false) == [] && secrets(mail, ignoring: nil) == [])
        #expect(try find(mail, ignoring: false).status == -25300)
        #expect(try secrets(["class": "genp", "svce": "STRASSE"]) == ["Straße Bea"])
        #expect(try secrets(["class": "genp", "svce": "mai"]) == [])
        #expect(try secrets(["class": "inet", "srvr": "example.org", "acct": "ADA", "ptcl": "htps"]) == ["web"])
        #expect(try secrets(["class": "inet", "srvr": "example.org", "ptcl": "HTPS"]) == [])
        // A class and a switch are not text.
        #expect(try find(mail, ignoring: "yes").status == -50)
        #expect(
            try household.probe("other").call("find", mail.merging(["m_CaseInsensitive": true]) { $1 }).status == -25300
        )
    }

    /// The names of a locked file keychain can be read, so it is searched as an open one is.
    @Test func fileKeychainsAreSearchedAlike() throws {
        try household.create("a")
        for (service, account) in [("Mail", "Ada"), ("mail", "ada"), ("Straße", "Bea")] {
            let item: [String: Any] = [
                "class": "genp", "svce": service, "acct": account, "u_Keychain": ["keychain": "a"],
                "v_Data": PasswordTests.data("\(service) \(account) of a file"),
            ]
            try #require(try probe.call("add", item).status == 0)
        }
        func accounts(_ query: [String: Any], ignoring: Bool = true, limit: String = "m_LimitAll") throws -> [String] {
            let base: [String: Any] = [
                "class": "genp", "nleg": false, "m_CaseInsensitive": ignoring, "r_Attributes": true, "m_Limit": limit,
            ]
            let answer = try probe.call("find", base.merging(query) { $1 })
            let found = limit == "m_LimitAll" ? answer.array ?? [] : answer.dictionary.map { [$0] } ?? []
            return found.compactMap { $0["acct"] as? String }.sorted()
        }
        let mail: [String: Any] = ["svce": "MAIL", "acct": "ADA"]
        for isLocked in [false, true] {
            if isLocked { try household.lock("a") }
            #expect(try accounts(mail) == ["Ada", "ada"], "\(isLocked)")
            #expect(try accounts(mail, ignoring: false) == [])
            #expect(try accounts(["svce": "STRASSE"]) == ["Bea"])
            #expect(try accounts(["svce": "mai"]) == [])
            // A search for one item prefers the item whose case is as in the query.
            #expect(try accounts(["svce": "mail"], limit: "m_LimitOne") == ["ada"], "\(isLocked)")
        }
    }

    /// A change or a deletion concerns only items with exactly the given names.
    @Test func changesKeepToTheCase() throws {
        let other: [String: Any] = ["class": "genp", "svce": "MAIL", "m_CaseInsensitive": true]
        #expect(try probe.call("update", other, change: ["labl": "x"]).status == -25300)
        #expect(try probe.call("delete", other).status == -25300)
        let exact: [String: Any] = ["class": "genp", "svce": "mail", "m_CaseInsensitive": true]
        #expect(try probe.call("update", exact, change: ["labl": "changed"]).status == 0)
        #expect(try secrets(["class": "genp", "labl": "CHANGED"]) == ["mail ada"])
        #expect(try probe.call("delete", exact).status == 0)
        #expect(try secrets(["class": "genp", "svce": "mail"]) == ["Mail Ada"])
    }
}
