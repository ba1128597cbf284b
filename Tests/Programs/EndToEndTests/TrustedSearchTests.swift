import Foundation
import TestSupport
import Testing

/// Tests of searches for certificates and identities that are valid for a purpose, with the real daemons
/// (behaviour/certificates.md, 25 to 28).
@Suite struct TrustedSearchTests {
    private let household: Household
    private let tools: Developers
    private let files: AuthorityFiles
    private let probe: ProbeProcess

    init() throws {
        // Root's own trust settings are those of the machine.
        household = try Household(uid: geteuid() == 0 ? Privilege.user(95) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
        try household.application("app")
        probe = try household.probe("app")
        try tools.require(["create-keychain", "-p", "right", "a"])
        try tools.setPasscode()
    }

    private static var ssl: [String: Any] { ["policy": "ssl", "host": AuthorityFiles.host] }
    private static var both: [[String: Any]] { [[:], ["m_SearchList": [["keychain": "a"]]]] }

    private func add(_ name: String) throws {
        let object = ["certificate": try files.certificate(name)]
        try #require(try probe.call("add", ["v_Ref": object]).status == 0)
        try #require(try probe.call("add", ["v_Ref": object, "u_Keychain": ["keychain": "a"]]).status == 0)
    }

    /// The labels of one keychain's certificates, in alphabetical order; nil if the call fails for another reason than
    /// that none match.
    private func labels(_ terms: [String: Any], in place: [String: Any]) throws -> [String]? {
        let all: [String: Any] = ["class": "cert", "r_Attributes": true, "m_Limit": "m_LimitAll"]
        let answer = try probe.call("find", all.merging(terms) { $1 }.merging(place) { $1 })
        if answer.status == -25300 { return [] }
        return answer.array?.compactMap { $0["labl"] as? String }.sorted()
    }

    private func expect(_ labels: [String], for terms: [String: Any], _ place: SourceLocation = #_sourceLocation) throws
    {
        for keychain in Self.both {
            let found = try self.labels(terms, in: keychain)
            #expect(found == labels, "\(terms) \(keychain)", sourceLocation: place)
        }
    }

    @Test func onlyWhatIsTrustedIsFound() throws {
        try add("leaf")
        try expect([], for: ["m_TrustedOnly": true])
        try expect(["leaf"], for: ["m_TrustedOnly": false])
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        // The issuer is not in the keychain but in the trust settings.
        try expect(["leaf"], for: ["m_TrustedOnly": true])
        try add("root")
        try expect(["Example Root", "leaf"], for: ["m_TrustedOnly": true])
        try expect(["leaf"], for: ["m_TrustedOnly": true, "m_Policy": Self.ssl])
        try expect([], for: ["m_TrustedOnly": true, "m_Policy": ["policy": "ssl", "host": "other.example.com"]])
        // The date is before the certificates' validity.
        try expect([], for: ["m_TrustedOnly": true, "m_ValidOnDate": ["date": 0.0]])
        try tools.requireTyping(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try expect(["Example Root"], for: ["m_TrustedOnly": true])
        // Trusted certificates are found in a locked file keychain too.
        try tools.require(["lock-keychain", "a"])
        try expect(["Example Root"], for: ["m_TrustedOnly": true])
        // The limit counts the certificates that match, and the kinds of results are as in any search.
        let one: [String: Any] = ["class": "cert", "m_TrustedOnly": true, "r_Data": true]
        #expect(try probe.call("find", one).data?.base64EncodedString() == files.certificate("root"))
        #expect(try probe.call("find", ["class": "cert", "m_TrustedOnly": true]).status == 0)
    }

    /// A policy that is about the certificate itself needs no trust in it.
    @Test func aPolicyIsOfTheCertificateItself() throws {
        try add("leaf")
        try add("root")
        try expect(["leaf"], for: ["m_Policy": Self.ssl])
        try expect([], for: ["m_Policy": ["policy": "ssl", "host": "other.example.com"]])
        try expect([], for: ["m_Policy": ["policy": "code"]])
        // The basic policy is about nothing but the chain.
        try expect([], for: ["m_Policy": ["policy": "basic"]])
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        try expect(["Example Root", "leaf"], for: ["m_Policy": ["policy": "basic"]])
        try tools.requireTyping(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try expect([], for: ["m_Policy": Self.ssl])
    }

    /// A named certificate is found even among more certificates than a search evaluates, since the others are not
    /// evaluated.
    @Test func whatHasAnotherSubjectIsNotJudged() throws {
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        let between = try files.chain()
        try files.copies(of: between.issuer, count: 257, in: "copies")
        try tools.require(["add-certificates", "-k", "a", files.path("copies")])
        try add("leaf")
        var query: [String: Any] = [
            "class": "cert", "m_SearchList": [["keychain": "a"]], "m_TrustedOnly": true, "m_SubjectWholeString": "leaf",
            "r_Data": true,
        ]
        #expect(try probe.call("find", query).data?.base64EncodedString() == files.certificate("leaf"))
        query["m_Limit"] = "m_LimitAll"
        #expect(try probe.call("find", query).array?.count == 1)
        // The limit of evaluations holds for the named certificates, and an invalid one is not found.
        query["m_SubjectWholeString"] = "Between"
        #expect(try probe.call("find", query).status == -50)
        query["m_SubjectWholeString"] = "leaf"
        query["m_Policy"] = ["policy": "code"]
        #expect(try probe.call("find", query).status == -25300)
    }

    /// An issuer in the same keychain may complete the chain.
    @Test func issuersOfTheKeychainStandBetween() throws {
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        let between = try files.chain()
        try add(between.leaf)
        try expect([], for: ["m_TrustedOnly": true])
        try add(between.issuer)
        try expect(["Between", "below"], for: ["m_TrustedOnly": true])
    }

    /// A trust setting for another program does not count here.
    @Test func settingsOfAnotherProgramAreNotThisOnes() throws {
        try add("leaf")
        try tools.requireTyping(["add-trusted-cert", "-a", "\(household.home)/other", files.path("root")])
        try expect([], for: ["m_TrustedOnly": true])
        try tools.requireTyping(["add-trusted-cert", "-a", "\(household.home)/app", files.path("root")])
        try expect(["leaf"], for: ["m_TrustedOnly": true])
    }

    /// An issuer that cannot be read now counts as absent, and the search does not fail.
    @Test func aLockedIssuerStandsNowhere() throws {
        let between = try files.chain()
        try add(between.leaf)
        let issuer: [String: Any] = ["certificate": try files.certificate(between.issuer)]
        try #require(try probe.call("add", ["v_Ref": issuer, "pdmn": "ak"]).status == 0)
        try expect([], for: ["m_TrustedOnly": true])
        try #require(try probe.call("lock").status == 0)
        let leaves: [String: Any] = ["m_TrustedOnly": true, "labl": "below"]
        #expect(try labels(leaves, in: [:]) == [])
    }

    @Test func identitiesAreJudgedByTheirCertificates() throws {
        try files.pkcs12("leaf")
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(household.home)/leaf.p12")).base64EncodedString()
        let imported = try probe.ask(["call": "pkcs12", "data": data, "options": ["passphrase": "password"]])
        try #require(imported.status == 0)
        try tools.require(["import", "\(household.home)/leaf.p12", "-k", "a", "-P", "password", "-A"])
        func count(_ terms: [String: Any], _ place: [String: Any]) throws -> Int {
            let all: [String: Any] = ["class": "idnt", "r_Ref": true, "m_Limit": "m_LimitAll"]
            let answer = try probe.call("find", all.merging(terms) { $1 }.merging(place) { $1 })
            return (answer.result as? [Any])?.count ?? 0
        }
        for keychain in Self.both {
            #expect(try count([:], keychain) == 1 && count(["m_TrustedOnly": true], keychain) == 0)
            #expect(try count(["m_Policy": Self.ssl], keychain) == 1)
            #expect(try count(["m_Policy": ["policy": "code"]], keychain) == 0)
        }
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        for keychain in Self.both {
            #expect(try count(["m_TrustedOnly": true], keychain) == 1)
            #expect(try count(["m_TrustedOnly": true, "labl": "nobody"], keychain) == 0)
            let one: [String: Any] = ["class": "idnt", "m_TrustedOnly": true, "r_Data": true]
            let found = try probe.call("find", one.merging(keychain) { $1 }).data?.base64EncodedString()
            #expect(try found == files.certificate("leaf"))
        }
    }
}
