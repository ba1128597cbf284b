import Foundation
import TestSupport
import Testing

/// Tests of certificates in file keychains, through Apple's calls and the real daemons (behaviour/keychain-items.md).
@Suite struct FileKeychainCertificateTests {
    private enum Expected {
        static let param = -50
        static let noAccessForItem = -25243
        static let duplicateItem = -25299
        static let itemNotFound = -25300
        static let authFailed = -25293
    }

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.probe()
        try household.create("a")
    }

    private static let keychain = ["keychain": "a"]
    private static func object(_ text: String) -> [String: Any] { ["certificate": text] }

    private func call(
        _ call: String, _ query: [String: Any], of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer { try (probe ?? self.probe).call(call, query) }

    /// Finds certificates in keychain `a`.
    private func find(_ query: [String: Any], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        let base: [String: Any] = ["class": "cert", "m_SearchList": [Self.keychain]]
        return try call("find", base.merging(query) { $1 }, of: probe)
    }

    private func labels(_ query: [String: Any]) throws -> [String]? {
        try find(["r_Attributes": true, "m_Limit": "m_LimitAll"].merging(query) { $1 })
            .array?.compactMap { $0["labl"] as? String }.sorted()
    }

    @discardableResult
    private func add(_ text: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        let item: [String: Any] = ["v_Ref": Self.object(text), "u_Keychain": Self.keychain]
        return try call("add", item.merging(more) { $1 })
    }

    @Test func aCertificateIsStoredFoundAndDeleted() throws {
        let added = try #require(
            try add(SampleCertificates.leaf, ["r_Attributes": true, "r_Ref": true, "r_PersistentRef": true]).dictionary)
        #expect(added["labl"] as? String == "leaf.example.org" && added["class"] as? String == "cert")
        #expect(added["pdmn"] == nil && added["agrp"] == nil && added["ctyp"] as? Int == 3)
        let object = try #require(added["v_Ref"] as? [String: Any])
        #expect(object["certificate"] as? String == SampleCertificates.leaf)
        let reference = ["reference": try #require(object["reference"] as? Int)]
        let persistent = try #require(ProbeAnswer.data(added["v_PersistentRef"]))
        #expect(persistent.count == 37)
        #expect(try add(SampleCertificates.leaf).status == Expected.duplicateItem)
        #expect(
            try find(["r_Data": true]).data?.base64EncodedString() == SampleCertificates.leaf)
        for key in ["issr", "subj", "slnr", "pkhh", "skid", "labl", "ctyp"] {
            #expect(try labels([key: added[key] ?? ""]) == ["leaf.example.org"], "\(key)")
        }
        #expect(try find(["labl": "nobody"]).status == Expected.itemNotFound)
        // The data protection keychain does not have the certificate.
        #expect(try call("find", ["class": "cert"]).status == Expected.itemNotFound)
        // References of earlier calls and the certificate itself find the item.
        let own: [String: Any] = ["v_PersistentRef": ["data": persistent.base64EncodedString()], "r_Data": true]
        #expect(try call("find", own).data?.base64EncodedString() == SampleCertificates.leaf)
        #expect(try call("find", ["v_Ref": reference, "r_Attributes": true]).dictionary?["labl"] != nil)
        #expect(try labels(["v_Ref": Self.object(SampleCertificates.leaf)]) == ["leaf.example.org"])
        #expect(try labels(["m_ItemList": [reference]]) == ["leaf.example.org"])
        #expect(try find(["v_Ref": Self.object(SampleCertificates.root)]).status == Expected.itemNotFound)
        // The owner may change the label, but not what the certificate itself says.
        #expect(try probe.call("update", ["v_Ref": reference], change: ["labl": "mine"]).status == 0)
        #expect(try labels([:]) == ["mine"])
        let renumbered = try probe.call("update", ["v_Ref": reference], change: ["slnr": ["data": "AQ=="]])
        #expect(renumbered.status == Expected.param)
        let same = added.filter { ["cenc", "ctyp", "issr", "pkhh", "skid", "slnr", "subj"].contains($0.key) }
        #expect(same.count == 7)
        #expect(try probe.call("update", ["v_Ref": reference], change: same).status == 0)
        #expect(try call("delete", ["v_Ref": reference]).status == 0)
        #expect(try call("delete", ["v_Ref": reference]).status == Expected.itemNotFound)
        #expect(try labels([:]) == nil)
    }

    @Test func aLockedKeychainShowsThem() throws {
        for text in [SampleCertificates.root, SampleCertificates.middle, SampleCertificates.leaf] { try add(text) }
        try household.lock("a")
        #expect(try labels([:]) == ["Sample Middle", "Sample Root", "leaf.example.org"])
        let found = try find(["labl": "leaf.example.org", "r_Data": true])
        #expect(found.data?.base64EncodedString() == SampleCertificates.leaf)
        #expect(
            (try find(["labl": "leaf.example.org", "r_Ref": true]).dictionary?["certificate"] as? String)
                == SampleCertificates.leaf)
        // Matching also covers facts that no attribute holds.
        #expect(try labels(["m_ValidOnDate": ["date": 600_000_000]])?.contains("leaf.example.org") == true)
        #expect(try labels(["m_EmailAddressIfPresent": "other@example.org"])?.contains("leaf.example.org") == false)
        // Any change needs the keychain's password.
        let forbid: [String: Any] = ["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false]
        #expect(try probe.ask(forbid).status == 0)
        #expect(try add(SampleCertificates.past).status == Expected.authFailed)
        #expect(
            try call("delete", ["class": "cert", "m_SearchList": [Self.keychain]]).status == Expected.authFailed)
        #expect(try household.unlock("a") == .done)
        #expect(try labels([:])?.count == 3)
    }

    @Test func subjectsAreComparedAsTheQuerySays() throws {
        for text in [SampleCertificates.root, SampleCertificates.middle, SampleCertificates.leaf] { try add(text) }
        #expect(try labels(["m_SubjectContains": "Sample"]) == ["Sample Middle", "Sample Root"])
        #expect(try labels(["m_SubjectStartsWith": "leaf"]) == ["leaf.example.org"])
        #expect(try labels(["m_SubjectEndsWith": "Root"]) == ["Sample Root"])
        #expect(try labels(["m_SubjectWholeString": "Sample Root"]) == ["Sample Root"])
        #expect(try labels(["m_SubjectWholeString": "Sample"]) == nil)
        #expect(try labels(["m_SubjectStartsWith": "sample"]) == nil)
        #expect(try labels(["m_SubjectStartsWith": "sample", "m_CaseInsensitive": true])?.count == 2)
        #expect(try labels(["m_SubjectWholeString": "S\u{E4}mple Root"]) == nil)
        #expect(
            try labels(["m_SubjectWholeString": "S\u{E4}mple Root", "m_DiacriticInsensitive": true])
                == ["Sample Root"])
        #expect(
            try labels(["m_SubjectStartsWith": "\u{FF33}ample", "m_WidthInsensitive": true])?.count == 2)
        #expect(try find(["m_SubjectContains": 1]).status == Expected.param)
        // The limit counts only the certificates that match.
        #expect(try find(["m_SubjectContains": "Sample", "m_Limit": 1, "r_Ref": true]).dictionary != nil)
        // A change leaves the certificates that do not match as they are.
        let query: [String: Any] = [
            "class": "cert", "m_SearchList": [Self.keychain], "m_SubjectContains": "Sample",
        ]
        #expect(try probe.call("update", query, change: ["labl": "authority"]).status == 0)
        #expect(try labels([:]) == ["authority", "authority", "leaf.example.org"])
        #expect(try call("delete", query).status == 0)
        #expect(try labels([:]) == ["leaf.example.org"])
    }

    /// A change reaches only the items that every list and filter of the query means.
    @Test func aChangeReachesNothingThatOneOfSeveralTermsExcludes() throws {
        let both = [SampleCertificates.root, SampleCertificates.leaf]
        for text in both { try add(text) }
        let listed: [String: Any] = [
            "class": "cert", "m_SearchList": [Self.keychain], "m_ItemList": both.map(Self.object),
            "m_SubjectContains": "Sample",
        ]
        #expect(try probe.call("update", listed, change: ["labl": "authority"]).status == 0)
        #expect(try labels([:]) == ["authority", "leaf.example.org"])
        #expect(try call("delete", listed).status == 0)
        #expect(try labels([:]) == ["leaf.example.org"])

        // Who deletes what has expired keeps the rest.
        try add(SampleCertificates.past)
        let dated: [String: Any] = ["class": "cert", "m_SearchList": [Self.keychain], "m_ValidOnDate": ["date": -1.0]]
        #expect(try call("delete", dated).status == Expected.itemNotFound)
        let present = dated.merging(["m_ValidOnDate": ["null": true]]) { $1 }
        #expect(try probe.call("update", present, change: ["labl": "valid"]).status == 0)
        #expect(try labels([:])?.filter { $0 == "valid" }.count == 1)
        #expect(try call("delete", present).status == 0)
        #expect(try labels([:])?.count == 1)
        #expect(try find(["v_Ref": Self.object(SampleCertificates.past), "r_Data": true]).status == 0)

        for text in both { try add(text) }
        let past: [String: Any] = ["v_Ref": Self.object(SampleCertificates.past), "u_Keychain": Self.keychain]
        #expect(try call("delete", past).status == 0)
        let found = try #require(try find(["labl": "Sample Root", "r_Ref": true]).dictionary?["reference"] as? Int)
        let disjoint: [String: Any] = [
            "class": "cert", "m_ItemList": [["reference": found]], "v_Ref": Self.object(SampleCertificates.leaf),
        ]
        #expect(try call("find", disjoint.merging(["r_Data": true]) { $1 }).status == Expected.itemNotFound)
        #expect(try call("delete", disjoint).status == Expected.itemNotFound)
        #expect(try labels([:]) == ["Sample Root", "leaf.example.org"])
        let same = disjoint.merging(["v_Ref": Self.object(SampleCertificates.root)]) { $1 }
        #expect(try call("delete", same).status == 0)
        #expect(try labels([:]) == ["leaf.example.org"])
    }

    @Test func issuersAreLookedForInTheKeychain() throws {
        for text in [SampleCertificates.root, SampleCertificates.middle, SampleCertificates.leaf] { try add(text) }
        let root = try #require(try find(["labl": "Sample Root", "r_Attributes": true]).dictionary)
        let content = try #require(ProbeAnswer.data(root["subj"]))
        let name = Data([0x30, UInt8(content.count)]) + content
        let issued: [String: Any] = ["m_Issuers": [["data": name.base64EncodedString()]]]
        #expect(try labels(issued) == ["Sample Middle", "Sample Root", "leaf.example.org"])
        let middle: [String: Any] = ["class": "cert", "labl": "Sample Middle", "m_SearchList": [Self.keychain]]
        #expect(try call("delete", middle).status == 0)
        #expect(try labels(issued) == ["Sample Root"])
    }

    @Test func anotherProgramReadsThemAndNobodyHasAnAccessObject() throws {
        try add(SampleCertificates.leaf)
        try household.application("other")
        let other = try household.probe("other")
        let found = try find(["r_Data": true, "u_AuthUI": "u_AuthUIF"], of: other)
        #expect(found.data?.base64EncodedString() == SampleCertificates.leaf)
        let access: [String: Any] = ["acls": ["access": [String]()]]
        #expect(try add(SampleCertificates.root, access).status == Expected.param)
        let persistent = try #require(try find(["r_PersistentRef": true]).data)
        let item = try probe.ask([
            "call": "SecKeychainItem", "function": "FromReference", "reference": persistent.base64EncodedString(),
        ])
        let number = try #require(item.dictionary?["item"] as? Int)
        let answer = try probe.ask(["call": "SecKeychainItem", "function": "CopyAccess", "item": number])
        #expect(answer.status == Expected.noAccessForItem)
        // The older calls have their own names for serial number and label.
        let content = try probe.ask([
            "call": "SecKeychainItem", "function": "CopyContent", "item": number, "tags": ["snbr", 7],
        ])
        #expect(content.status == 0)
        #expect(
            (content.dictionary?["7"] as? String).flatMap { Data(base64Encoded: $0) } == Data("leaf.example.org".utf8))
        #expect(
            (content.dictionary?["snbr"] as? String).flatMap { Data(base64Encoded: $0) }?.first == 0x22)
        // Another program deletes a certificate without a question, as on macOS, since a certificate is no secret.
        #expect(try call("delete", ["class": "cert", "m_SearchList": [Self.keychain]], of: other).status == 0)
        #expect(try find(["r_Ref": true]).status == Expected.itemNotFound)
    }

    @Test func aCertificateIsAddedByTheOldCallAndCopied() throws {
        let added = try probe.ask([
            "call": "addCertificate", "certificate": SampleCertificates.leaf, "path": "a",
        ])
        #expect(added.status == 0)
        let again = try probe.ask(["call": "addCertificate", "certificate": SampleCertificates.leaf, "path": "a"])
        #expect(again.status == Expected.duplicateItem)
        try household.create("b")
        try household.create("c")
        let persistent = try #require(try find(["r_PersistentRef": true]).data)
        let item = try probe.ask([
            "call": "SecKeychainItem", "function": "FromReference", "reference": persistent.base64EncodedString(),
        ])
        let copy = try probe.ask([
            "call": "SecKeychainItem", "function": "Copy", "item": item.dictionary?["item"] ?? 0, "path": "c",
        ])
        #expect(copy.status == 0)
        #expect(try call("find", ["class": "cert", "m_SearchList": [["keychain": "c"]]]).status == 0)
        let object = try #require(try find(["r_Ref": true]).dictionary?["reference"] as? Int)
        let copied = try call("add", ["v_Ref": ["reference": object], "u_Keychain": ["keychain": "b"]])
        #expect(copied.status == 0)
        let found = try call("find", ["class": "cert", "m_SearchList": [["keychain": "b"]], "r_Data": true])
        #expect(found.data?.base64EncodedString() == SampleCertificates.leaf)
    }

    /// Another program's change to the file of a locked keychain is shown as it stands, and is detected at the unlock.
    @Test func whoExchangesACertificateIsFound() throws {
        try add(SampleCertificates.leaf)
        try add(SampleCertificates.root)
        try household.lock("a")
        let der = try #require(Data(base64Encoded: SampleCertificates.leaf))
        let path = try household.path("a")
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(content.range(of: der.suffix(24)))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(place.lowerBound))
        try file.write(contentsOf: Data(repeating: 7, count: place.count))
        try file.close()
        #expect(try find(["labl": "leaf.example.org", "r_Data": true]).data != der)
        #expect(try household.unlock("a") == .done)
        for _ in 0..<1000 where try labels([:])?.count != 1 { usleep(10_000) }
        #expect(try labels([:]) == ["Sample Root"])
    }
}
