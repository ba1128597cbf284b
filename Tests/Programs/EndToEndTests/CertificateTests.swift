import Foundation
import Security
import TestSupport
import Testing

/// Tests of certificates as objects of programs and as items (behaviour/certificates.md).
@Suite struct CertificateTests {
    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
    }

    private static var base: [String: Any] { ["class": "cert"] }
    private static func object(_ text: String) -> [String: Any] { ["certificate": text] }
    private static func data(_ text: String) -> [String: Any] { ["data": text] }

    private func describe(_ text: String, keys: [String]? = nil) throws -> [String: Any] {
        var command: [String: Any] = ["call": "certificate", "certificate": text]
        command["keys"] = keys
        return try #require(try probe.ask(command).dictionary)
    }

    private func add(_ texts: String...) throws {
        for text in texts { try #require(try probe.call("add", ["v_Ref": Self.object(text)]).status == 0) }
    }

    /// The labels of the found items, in alphabetical order.
    private func labels(_ query: [String: Any]) throws -> [String]? {
        let all = ["class": "cert", "r_Attributes": true, "m_Limit": "m_LimitAll"] as [String: Any]
        return try probe.call("find", all.merging(query) { $1 }).array?.compactMap { $0["labl"] as? String }.sorted()
    }

    // MARK: What is in one

    @Test func everyFunctionAnswers() throws {
        let leaf = try describe(SampleCertificates.leaf)
        #expect(leaf["name"] as? String == "leaf.example.org" && leaf["summary"] as? String == "leaf.example.org")
        #expect(leaf["emails"] as? [String] == ["leaf@example.org"])
        #expect(
            ProbeAnswer.data(leaf["serial"])?.map { String(format: "%02X", $0) }.joined()
                == "225E191339E8A37195982B5B10A783CBD92F7ECD")
        #expect(leaf["short"] as? String == "leaf.example.org")
        #expect(
            (leaf["long"] as? String)?.hasPrefix("CN=leaf.example.org, OU=Servers, O=Sample Org; issued by ") ?? false)
        #expect(ProbeAnswer.data(leaf["data"]) == Data(base64Encoded: SampleCertificates.leaf))
        #expect(leaf["isEqual"] as? Bool == true && leaf["isSameKey"] as? Bool == true)
        // Seconds since 2001.
        #expect((leaf["from"] as? [String: Any])?["date"] as? Double == 599_529_600)
        #expect((leaf["until"] as? [String: Any])?["date"] as? Double == 3_092_601_600)
        // Printable strings are compared in capitals with single blanks.
        let issuer = try #require(ProbeAnswer.data(leaf["issuerContent"]))
        #expect(issuer.range(of: Data("SAMPLE ORG".utf8)) != nil && issuer.range(of: Data("SAMPLE MIDDLE".utf8)) != nil)
        #expect(ProbeAnswer.data(leaf["issuer"]) == Data([0x30, UInt8(issuer.count)]) + issuer)
        #expect(issuer == ProbeAnswer.data(try describe(SampleCertificates.middle)["subjectContent"]))
        let past = try describe(SampleCertificates.past)
        #expect(past["emails"] as? [String] == [] && ProbeAnswer.data(past["key"])?.count == 32)
    }

    @Test func keysOfEachKind() throws {
        for (text, count) in [
            (SampleCertificates.root, 65), (SampleCertificates.middle, 97), (SampleCertificates.leaf, 270),
            (SampleCertificates.past, 32),
        ] {
            let key = try #require(ProbeAnswer.data(try describe(text)["key"]))
            #expect(key.count == count)
        }
    }

    @Test func whatIsNoCertificateIsNone() throws {
        var damaged = try #require(Data(base64Encoded: SampleCertificates.leaf))
        damaged[4] = 0x31
        let large = Data(count: 200_000)
        for data in [Data(), Data([0x30, 0]), damaged, large, damaged.dropLast()] {
            #expect(try probe.ask(["call": "certificate", "certificate": data.base64EncodedString()]).status == -50)
        }
    }

    @Test func valuesByTheirIdentifiers() throws {
        let all = try #require(try describe(SampleCertificates.leaf)["values"] as? [String: [String: Any]])
        // The extension is critical.
        #expect(all["2.5.29.15"]?["value"] as? Int == Int(Int32.min) | 5)
        #expect(all["2.5.29.15"]?["type"] as? String == "number")
        let purposes = (all["2.5.29.37"]?["value"] as? [Any])?.compactMap { ProbeAnswer.data($0) }
        let prefix: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3]
        #expect(purposes == [Data(prefix + [1]), Data(prefix + [4])])
        #expect(all[kSecOIDCommonName as String]?["value"] as? [String] == ["leaf.example.org"])
        let serial = all[kSecOIDX509V1SerialNumber as String]?["value"] as? String
        #expect(serial?.split(separator: " ").count == 20)
        let names = all["2.5.29.17"]?["value"] as? [[String: Any]]
        #expect(
            names?.compactMap { $0["value"] as? String } == [
                "No", "leaf.example.org", "www.example.org", "leaf@example.org",
            ])
        #expect(all["2.16.840.1.113741.2.1.1.1.7"]?["value"] as? Double == 3_092_601_600)
        #expect((all[kSecOIDAuthorityKeyIdentifier as String]?["value"] as? [[String: Any]])?.count == 2)
        #expect(ProbeAnswer.data(all[kSecOIDX509V1Signature as String]?["value"])?.count == 103)
        for (identifier, name) in [
            (kSecOIDX509V1IssuerNameStd, "issuerContent"), (kSecOIDX509V1SubjectNameStd, "subjectContent"),
        ] {
            let content = ProbeAnswer.data(try describe(SampleCertificates.leaf)[name])
            #expect(content != nil && ProbeAnswer.data(all[identifier as String]?["value"]) == content)
        }
        let one = try describe(SampleCertificates.leaf, keys: ["2.5.29.15", "1.2.3"])["values"] as? [String: Any]
        #expect(one?.keys.sorted() == ["2.5.29.15"])
    }

    // MARK: As items

    @Test func anItemHasWhatItsCertificateSays() throws {
        let query: [String: Any] = ["v_Ref": Self.object(SampleCertificates.leaf), "r_Attributes": true, "r_Ref": true]
        let added = try #require(try probe.call("add", query).dictionary)
        #expect(added["labl"] as? String == "leaf.example.org" && added["class"] as? String == "cert")
        #expect(added["ctyp"] as? Int == 3 && added["cenc"] as? Int == 3 && added["pdmn"] as? String == "dk")
        #expect((added["v_Ref"] as? [String: Any])?["certificate"] as? String == SampleCertificates.leaf)
        let leaf = try describe(SampleCertificates.leaf)
        for (key, name) in ["issr": "issuerContent", "subj": "subjectContent", "slnr": "serial", "pkhh": "label"] {
            #expect(ProbeAnswer.data(added[key]) == ProbeAnswer.data(leaf[name]), "\(key)")
        }
        #expect(ProbeAnswer.data(added["skid"])?.first == 0x56)
        // Every kind of result comes back.
        let one = Self.base.merging(["labl": "leaf.example.org"]) { $1 }
        #expect(
            try probe.call("find", one.merging(["r_Data": true]) { $1 }).data
                == Data(base64Encoded: SampleCertificates.leaf))
        let reference = try probe.call("find", one.merging(["r_Ref": true]) { $1 }).dictionary
        #expect(reference?["certificate"] as? String == SampleCertificates.leaf)
        let stored = try #require(try probe.call("find", one.merging(["r_PersistentRef": true]) { $1 }).result)
        #expect(
            try probe.call("find", ["v_PersistentRef": stored, "r_Ref": true]).dictionary?["certificate"] as? String
                == SampleCertificates.leaf)
    }

    /// Type, issuer and serial number tell certificates apart.
    @Test func aCertificateIsThereOnce() throws {
        try add(SampleCertificates.leaf, SampleCertificates.middle)
        let again: [String: Any] = ["v_Ref": Self.object(SampleCertificates.leaf), "labl": "another label"]
        #expect(try probe.call("add", again).status == -25299)
        let bytes = Self.base.merging(["v_Data": Self.data(SampleCertificates.middle)]) { $1 }
        #expect(try probe.call("add", bytes).status == -25299)
    }

    @Test func bytesDoAsWellAsAnObject() throws {
        let label = Self.base.merging(["v_Data": Self.data(SampleCertificates.past), "labl": "mine"]) { $1 }
        let added = try probe.call("add", label.merging(["r_Attributes": true]) { $1 }).dictionary
        #expect(added?["labl"] as? String == "mine" && added?["ctyp"] as? Int == 1 && added?["skid"] == nil)
        for data in ["AAAA", "MAA="] {
            #expect(try probe.call("add", Self.base.merging(["v_Data": Self.data(data)]) { $1 }).status == -50)
        }
        #expect(try probe.call("add", Self.base).status == -50)
        let two: [String: Any] = [
            "v_Ref": Self.object(SampleCertificates.leaf), "v_Data": Self.data(SampleCertificates.past),
        ]
        #expect(try probe.call("add", two).status == -50)
        #expect(
            try probe.call("add", ["v_Ref": Self.object(SampleCertificates.leaf), "class": "genp"]).status == -25306)
    }

    /// An item's issuer cannot be other than that of its certificate.
    @Test func whatContradictsTheCertificateIsRefused() throws {
        let added = try #require(
            try probe.call("add", ["v_Ref": Self.object(SampleCertificates.leaf), "r_Attributes": true]).dictionary)
        let other = Self.object(SampleCertificates.root)
        for key in ["issr", "subj", "slnr", "skid", "pkhh"] {
            #expect(try probe.call("add", ["v_Ref": other, key: try #require(added[key])]).status == -50)
            #expect(try probe.call("update", Self.base, change: [key: Self.data("AQI=")]).status == -50)
        }
        for (key, number) in [("ctyp", 1), ("cenc", 1)] {
            #expect(try probe.call("update", Self.base, change: [key: number, "labl": "x"]).status == -50)
        }
        // What a search returned may be sent back.
        let own = added.filter { ["cenc", "ctyp", "issr", "pkhh", "skid", "slnr", "subj"].contains($0.key) }
        #expect(own.count == 7)
        for (key, value) in own {
            #expect(try probe.call("update", Self.base, change: [key: value]).status == 0, "\(key)")
        }
        #expect(try probe.call("update", Self.base, change: own.merging(["labl": "same"]) { $1 }).status == 0)
        #expect(try labels(own) == ["same"])
        #expect(try probe.call("add", ["v_Ref": other, "ctyp": 1]).status == -50)
        let change: [String: Any] = ["v_Data": Self.data(SampleCertificates.root)]
        #expect(try probe.call("update", Self.base, change: change).status == -50)
        // A returned dictionary can be added again once its item is deleted.
        #expect(try probe.call("delete", Self.base).status == 0)
        let again = added.merging(["v_Ref": Self.object(SampleCertificates.leaf)]) { $1 }.filter { $0.key != "accc" }
        #expect(try probe.call("add", again).status == 0)
        #expect(try probe.call("update", Self.base, change: ["labl": "new", "pdmn": "ak"]).status == 0)
        #expect(try labels([:]) == ["new"])
    }

    @Test func eachAttributeFinds() throws {
        try add(SampleCertificates.root, SampleCertificates.middle, SampleCertificates.leaf, SampleCertificates.past)
        let all = try #require(
            try probe.call(
                "find", ["class": "cert", "r_Attributes": true, "m_Limit": "m_LimitAll", "labl": "leaf.example.org"]
            ).array?.first)
        for key in ["issr", "subj", "slnr", "skid", "pkhh"] {
            #expect(try labels([key: try #require(all[key])]) == ["leaf.example.org"], "\(key)")
        }
        #expect(
            try labels(["issr": try #require(all["issr"]), "slnr": try #require(all["slnr"])]) == ["leaf.example.org"])
        #expect(try labels(["ctyp": 1]) == ["Of The Past"] && labels(["ctyp": 3])?.count == 3)
    }

    @Test func anObjectNamesItsItem() throws {
        try add(SampleCertificates.root, SampleCertificates.leaf)
        #expect(try labels(["v_Ref": Self.object(SampleCertificates.leaf)]) == ["leaf.example.org"])
        let list = [SampleCertificates.root, SampleCertificates.leaf, SampleCertificates.past].map(Self.object)
        #expect(try labels(["m_ItemList": list]) == ["Sample Root", "leaf.example.org"])
        let used = try probe.call("find", ["u_ItemList": [list[0]], "r_Attributes": true]).dictionary
        #expect(used?["labl"] as? String == "Sample Root", "a list to use says which class is meant")
        #expect(try labels(["m_ItemList": list, "v_Ref": Self.object(SampleCertificates.root)]) == ["Sample Root"])
        #expect(try probe.call("find", ["v_Ref": Self.object(SampleCertificates.past)]).status == -25300)
        // A list of certificates may not hold a reference of another kind.
        let reference = try #require(
            try probe.call("find", ["class": "cert", "r_PersistentRef": true, "labl": "Sample Root"]).result)
        let mixed: [String: Any] = ["m_ItemList": [reference], "v_Ref": Self.object(SampleCertificates.leaf)]
        #expect(try probe.call("delete", mixed).status == -50)
        // Nor does one list take what another one leaves out.
        let leaf = [Self.object(SampleCertificates.leaf)]
        for wrong: [String: Any] in [
            ["m_ItemList": [reference], "u_ItemList": leaf], ["v_PersistentRef": reference, "m_ItemList": leaf],
        ] {
            #expect(try probe.call("delete", wrong.merging(["class": "cert"]) { $1 }).status == -50)
        }
        #expect(try probe.call("delete", ["class": "genp", "m_ItemList": leaf]).status == -25300)
        #expect(try labels([:])?.count == 2)
        #expect(
            try probe.call("update", ["v_Ref": Self.object(SampleCertificates.root)], change: ["labl": "r"]).status == 0
        )
        #expect(try probe.call("delete", ["v_Ref": Self.object(SampleCertificates.leaf)]).status == 0)
        #expect(try labels([:]) == ["r"])
    }

    @Test func issuersUpTheChain() throws {
        try add(SampleCertificates.root, SampleCertificates.middle, SampleCertificates.leaf)
        let (root, middle) = (try describe(SampleCertificates.root), try describe(SampleCertificates.middle))
        let all = ["Sample Middle", "Sample Root", "leaf.example.org"]
        #expect(try labels(["m_Issuers": [try #require(root["subject"])]]) == all)
        #expect(try labels(["m_Issuers": [try #require(middle["subject"])]]) == ["leaf.example.org"])
        let leaf = try describe(SampleCertificates.leaf)
        #expect(
            try probe.call("find", ["class": "cert", "m_Issuers": [try #require(leaf["subject"])]]).status == -25300)
        // Without the intermediate certificate there is no chain to the issuer.
        #expect(try probe.call("delete", ["v_Ref": Self.object(SampleCertificates.middle)]).status == 0)
        #expect(try labels(["m_Issuers": [try #require(root["subject"])]]) == ["Sample Root"])
        for name in [Self.data("AAAA"), Self.data("")] {
            #expect(try probe.call("find", ["class": "cert", "m_Issuers": [name]]).status == -50)
        }
        #expect(try probe.call("find", ["class": "cert", "m_Issuers": ["text"]]).status == -50)
    }

    @Test func datesAndAddresses() throws {
        try add(SampleCertificates.root, SampleCertificates.leaf, SampleCertificates.past)
        #expect(try labels(["m_ValidOnDate": ["null": true]]) == ["Sample Root", "leaf.example.org"])
        // In the year 2001, to the second.
        #expect(try labels(["m_ValidOnDate": ["date": 0.0]]) == ["Of The Past"])
        #expect(try probe.call("find", ["class": "cert", "m_ValidOnDate": ["date": -1.0]]).status == -25300)
        #expect(try labels(["m_ValidOnDate": ["date": 31_536_000.0]]) == ["Of The Past"])
        #expect(try probe.call("find", ["class": "cert", "m_ValidOnDate": ["date": 31_536_001.0]]).status == -25300)
        let others = ["Of The Past", "Sample Root"]
        #expect(try labels(["m_EmailAddressIfPresent": "LEAF@example.org"]) == others + ["leaf.example.org"])
        #expect(try labels(["m_EmailAddressIfPresent": "other@example.org"]) == others)
        // The limit counts the certificates that pass the match; the kinds of results are as in any search.
        let one: [String: Any] = ["class": "cert", "m_ValidOnDate": ["null": true], "r_Data": true]
        #expect(try probe.call("find", one).data != nil)
        let two = one.merging(["m_Limit": 2, "r_Attributes": true]) { $1 }
        let found = try #require(try probe.call("find", two).array)
        #expect(found.count == 2 && found.allSatisfy { $0["v_Data"] != nil && $0["labl"] != nil })
        #expect(try probe.call("find", ["class": "cert", "m_ValidOnDate": ["null": true]]).status == 0)
    }

    /// Certificates are sealed as passwords are: the store holds the bytes of none.
    @Test func aCertificateIsSealed() throws {
        try add(SampleCertificates.leaf)
        let der = try #require(Data(base64Encoded: SampleCertificates.leaf))
        let words = [der[100..<140], Data("leaf.example".utf8), Data("SAMPLE MIDDLE".utf8)]
        for file in [household.database, household.database + "-wal"] {
            let content = try Data(contentsOf: URL(fileURLWithPath: file))
            for word in words { #expect(content.range(of: word) == nil) }
        }
    }

    @Test func anotherProgramFindsNone() throws {
        try add(SampleCertificates.leaf)
        let other = try household.probe("other")
        #expect(try other.call("find", ["v_Ref": Self.object(SampleCertificates.leaf)]).status == -25300)
        #expect(try other.call("add", ["v_Ref": Self.object(SampleCertificates.leaf)]).status == 0)
        #expect(try labels([:]) == ["leaf.example.org"])
    }
}
