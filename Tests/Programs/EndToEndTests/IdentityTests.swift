import Foundation
import Security
import TestSupport
import Testing

/// Tests of identities in the data protection keychain, from Apple's calls down to keyd (behaviour/identities.md).
@Suite struct IdentityTests {
    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        try household.application("app")
        probe = try household.probe("app")
    }

    private func fixture(_ name: String) throws -> String {
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/\(name)")
        return try Data(contentsOf: place).base64EncodedString()
    }

    private func imported(
        _ name: String = "modern.p12", _ options: [String: Any] = [:], by probe: ProbeProcess? = nil
    ) throws -> (status: Int, entries: [[String: Any]]) {
        let answer = try (probe ?? self.probe).ask([
            "call": "pkcs12", "data": try fixture(name), "options": options.merging(["passphrase": "password"]) { $1 },
        ])
        return (answer.status, answer.result as? [[String: Any]] ?? [])
    }

    /// The object of the first identity of an import.
    private func object(_ entries: [[String: Any]]) throws -> [String: Any] {
        try #require(entries.first?["object"] as? [String: Any])
    }

    private func reference(_ object: [String: Any]?) throws -> [String: Int] {
        ["reference": try #require(object?["reference"] as? Int)]
    }

    private func call(
        _ call: String, _ query: [String: Any], class itemClass: String = "idnt", of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        try (probe ?? self.probe).call(call, ["class": itemClass].merging(query) { $1 })
    }

    private func count(_ itemClass: String, _ query: [String: Any] = [:]) throws -> Int {
        let all: [String: Any] = ["r_Attributes": true, "m_Limit": "m_LimitAll"]
        return try call("find", all.merging(query) { $1 }, class: itemClass).array?.count ?? 0
    }

    private func sign(_ key: Any?) throws -> Int {
        try probe.ask([
            "call": "sign", "algorithm": "algid:sign:RSA:message-PKCS1v15:SHA256",
            "query": ["key": try reference(key as? [String: Any]), "data": PasswordTests.data("m")] as [String: Any],
        ]).status
    }

    // MARK: Finding

    @Test func anIdentityIsFoundByItsParts() throws {
        try #require(try imported("java.p12").status == 0)
        let all: [String: Any] = [
            "r_Attributes": true, "r_Ref": true, "r_PersistentRef": true, "r_Data": true, "m_Limit": "m_LimitAll",
        ]
        let found = try #require(try call("find", all).array)
        #expect(found.count == 2)
        for identity in found {
            let object = try #require(identity["v_Ref"] as? [String: Any])
            #expect(identity["class"] as? String == "idnt" && identity["kcls"] as? Int == 1)
            #expect(ProbeAnswer.data(identity["pkhh"]) == ProbeAnswer.data(identity["klbl"]))
            let certificate = (object["certificate"] as? [String: Any])?["certificate"] as? String
            #expect(ProbeAnswer.data(identity["v_Data"])?.base64EncodedString() == certificate)
            let persistent = try #require(ProbeAnswer.data(identity["v_PersistentRef"]))
            #expect(persistent.prefix(4) == Data("idnt".utf8))
            let own = ["data": persistent.base64EncodedString()]
            let again = try #require(try probe.call("find", ["v_PersistentRef": own, "r_Ref": true]).dictionary)
            #expect((again["certificate"] as? [String: Any])?["certificate"] as? String == certificate)
            for key in ["labl", "issr", "slnr", "skid", "klbl", "pkhh", "subj", "type", "bsiz", "agrp"] {
                guard let value = identity[key] else { continue }
                #expect(try self.count("idnt", [key: value]) >= 1, "\(key)")
            }
            #expect(try count("idnt", ["issr": identity["issr"] ?? "", "slnr": identity["slnr"] ?? ""]) == 1)
            #expect(try count("idnt", ["klbl": identity["klbl"] ?? ""]) == 1)
            #expect(try count("idnt", ["labl": identity["labl"] ?? "", "type": 1]) == 0)
        }
        #expect(try count("idnt", ["kcls": 0]) == 0)
        #expect(try count("idnt", ["labl": "nobody"]) == 0 && count("idnt", ["atag": PasswordTests.data("x")]) == 0)
        #expect(try call("find", ["r_Attributes": true, "m_Limit": 1]).dictionary != nil)
        let objects = try found.map { try reference($0["v_Ref"] as? [String: Any]) }
        #expect(try count("idnt", ["m_ItemList": objects]) == 2 && count("idnt", ["m_ItemList": [objects[1]]]) == 1)
        #expect(try count("cert", ["m_ItemList": objects]) == 0)
        let used = try probe.call("find", ["u_ItemList": [objects[0]], "r_Attributes": true]).dictionary
        #expect(used?["klbl"] != nil && used?["issr"] != nil, "a list to use says which class is meant")
    }

    /// One update changes the certificate and its key.
    @Test func anUpdateChangesBothHalves() throws {
        try #require(try imported("java.p12").status == 0)
        let found = try #require(
            try call("find", ["r_Attributes": true, "r_Ref": true, "m_Limit": "m_LimitAll"]).array)
        let (first, second) = (found[0], found[1])
        let one: [String: Any] = ["v_Ref": try reference(first["v_Ref"] as? [String: Any])]
        func update(_ query: [String: Any], _ changes: [String: Any]) throws -> Int {
            try probe.call("update", ["class": "idnt"].merging(query) { $1 }, change: changes).status
        }
        let tag = PasswordTests.data("tag")
        #expect(try update(one, ["labl": "both", "atag": tag]) == 0)
        #expect(try count("idnt", ["labl": "both", "atag": tag]) == 1)
        #expect(try count("cert", ["labl": "both"]) == 1 && count("keys", ["labl": "both", "atag": tag]) == 1)
        #expect(try count("idnt", ["klbl": second["klbl"] ?? ""]) == 1)
        // A refused update changes neither half, even if only one half refuses it.
        #expect(try update(one, ["labl": "x", "subj": tag]) == -50 && count("cert", ["labl": "x"]) == 0)
        #expect(try update(one, ["v_Data": tag]) == -50)
        let own = first.filter { ["ctyp", "issr", "slnr", "subj"].contains($0.key) }
        #expect(try update(one, own.merging(["labl": "both"]) { $1 }) == 0 && count("idnt", own) == 1)
        #expect(try update(["labl": "nobody"], ["labl": "x"]) == -25300)
        #expect(try update([:], ["labl": "all"]) == 0)
        #expect(try count("cert", ["labl": "all"]) == 2 && count("keys", ["labl": "all"]) == 2)
        #expect(try update(one, ["labl": "x", "agrp": "nobody"]) == -34018 && count("cert", ["labl": "x"]) == 0)
    }

    /// The first certificate that matches may have no key any more; the search then goes on to another one.
    @Test(arguments: [0, 1]) func oneIsFoundBesideCertificatesWithoutKeys(_ kept: Int) throws {
        try #require(try imported("java.p12").status == 0)
        let both = try #require(try call("find", ["r_Attributes": true, "r_Ref": true, "m_Limit": "m_LimitAll"]).array)
        try #require(both.count == 2)
        let hashes = try both.map { ["data": try #require(ProbeAnswer.data($0["klbl"])).base64EncodedString()] }
        #expect(try call("delete", ["klbl": hashes[1 - kept]], class: "keys").status == 0)
        // The query's value is the same for all certificates.
        let query: [String: Any] = ["ctyp": try #require(both[kept]["ctyp"]), "r_Ref": true, "r_Attributes": true]
        let found = try #require(try call("find", query).dictionary)
        #expect(ProbeAnswer.data(found["klbl"]) == ProbeAnswer.data(both[kept]["klbl"]))
        let (object, former) = (found["v_Ref"] as? [String: Any], both[kept]["v_Ref"] as? [String: Any])
        let certificates = [object, former].map { ($0?["certificate"] as? [String: Any])?["certificate"] as? String }
        #expect(certificates[0] != nil && certificates[0] == certificates[1])
        #expect(try call("find", query.merging(["klbl": hashes[1 - kept]]) { $1 }).status == -25300)
        #expect(try call("delete", ["klbl": hashes[kept]], class: "keys").status == 0)
        #expect(try call("find", query).status == -25300)
    }

    @Test func aCertificateWithoutItsKeyIsNone() throws {
        #expect(try probe.call("add", ["v_Ref": ["certificate": SampleCertificates.leaf]]).status == 0)
        #expect(try call("find", ["r_Ref": true]).status == -25300)
        let other = try probe.ask(["call": "identityOf", "data": SampleCertificates.leaf])
        #expect(other.status == -25300)
    }

    @Test func anotherProgramFindsNone() throws {
        try #require(try imported().status == 0)
        try household.application("other")
        let other = try household.probe("other")
        #expect(try call("find", ["r_Ref": true], of: other).status == -25300)
        #expect(try call("delete", [:], of: other).status == -25300)
        // A key and a certificate of two programs make no identity.
        let object = try object(imported().entries)
        let der = try #require((object["certificate"] as? [String: Any])?["certificate"] as? String)
        #expect(try call("add", ["v_Ref": ["certificate": der]], class: "cert", of: other).status == 0)
        #expect(try call("find", ["r_Ref": true], of: other).status == -25300)
        #expect(try count("idnt") == 1)
    }

    @Test func thePrivateKeyOfACertificateIsFound() throws {
        let object = try object(imported().entries)
        let der = try #require((object["certificate"] as? [String: Any])?["certificate"] as? String)
        #expect(try call("delete", ["v_Ref": ["certificate": der]], class: "cert").status == 0)
        let identity = try probe.ask(["call": "identityOf", "data": der])
        #expect(identity.status == 0)
        #expect(try sign(identity.dictionary?["key"]) == 0)
    }

    // MARK: Adding and deleting

    @Test func anIdentityIsAddedAndDeletedAsOne() throws {
        let (status, entries) = try imported("modern.p12", ["memory": true])
        #expect(try status == 0 && count("cert") == 0 && count("keys") == 0)
        let object = try object(entries)
        let one: [String: Any] = ["v_Ref": try reference(object)]
        #expect(try probe.call("delete", one).status == -25300)
        let tagged: [String: Any] = ["v_Ref": one["v_Ref"] ?? [:], "atag": PasswordTests.data("tag"), "labl": "mine"]
        let added = try probe.call("add", tagged.merging(["r_Ref": true, "r_PersistentRef": true]) { $1 })
        #expect(added.status == 0 && ProbeAnswer.data(added.dictionary?["v_PersistentRef"])?.count == 20)
        #expect(try sign((added.dictionary?["v_Ref"] as? [String: Any])?["key"]) == 0)
        #expect(try count("cert") == 1 && count("keys") == 1 && count("idnt", ["atag": PasswordTests.data("tag")]) == 1)
        #expect(try probe.call("add", tagged).status == -25299)
        // An addition completes an identity of which one half is already stored.
        #expect(try call("delete", [:], class: "cert").status == 0)
        #expect(try probe.call("add", tagged).status == 0)
        #expect(try probe.call("find", one.merging(["r_Ref": true]) { $1 }).status == 0)
        #expect(try call("add", one, class: "keys").status == -25306)
        #expect(try probe.call("delete", one).status == 0)
        #expect(try count("cert") == 0 && count("keys") == 0)
    }

    @Test func nothingIsLeftOfAnIdentityThatCannotBeStored() throws {
        let object = try object(imported("modern.p12", ["memory": true]).entries)
        let one: [String: Any] = ["v_Ref": try reference(object)]
        #expect(try probe.call("add", one.merging(["agrp": "no.such.group"]) { $1 }).status == -34018)
        #expect(try probe.call("add", one.merging(["kcls": 0]) { $1 }).status == -50)
        #expect(try probe.call("add", one.merging(["issr": PasswordTests.data("x")]) { $1 }).status == -50)
        // The certificate is stored before the key is refused, since no finger is enrolled here.
        let control: [String: Any] = ["accessControl": "ak", "flags": 1 << 30 | 1 << 3]
        #expect(try probe.call("add", one.merging(["accc": control]) { $1 }).status == -25293)
        #expect(try count("cert") == 0 && count("keys") == 0)
    }

    /// A program that deletes what it has, and adds what it imported before, learns that the key is gone.
    @Test func oneWhoseKeyWasDeletedIsNotHalfStored() throws {
        let one: [String: Any] = ["v_Ref": try reference(object(try imported("modern.p12").entries))]
        #expect(try call("delete", [:]).status == 0 && count("keys") == 0)
        let certificates = try count("cert")
        for returns in [[:], ["r_PersistentRef": true]] as [[String: Any]] {
            #expect(try probe.call("add", one.merging(returns) { $1 }).status == -25300)
        }
        #expect(try count("cert") == certificates && count("keys") == 0 && count("idnt") == 0)
    }

    /// Whoever makes a certificate anew by hand may give it the number of the last one.
    @Test func oneWithTheNumberOfAnotherIsNotHalfStored() throws {
        let folder = try TemporaryFolder()
        let file = { (name: String) in "\(folder.path)/\(name)" }
        func identity(_ name: String) throws -> [String: Any] {
            for words in [
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    file("key"), "-out", file("certificate"), "-subj", "/CN=Same", "-set_serial", "1", "-days", "9",
                ],
                [
                    "pkcs12", "-export", "-inkey", file("key"), "-in", file("certificate"), "-out", file(name),
                    "-passout", "pass:x",
                ],
            ] { try #require(try CommandRun(["openssl"] + words).exitStatus == 0) }
            let data = try Data(contentsOf: URL(fileURLWithPath: file(name))).base64EncodedString()
            let options: [String: Any] = ["memory": true, "passphrase": "x"]
            let answer = try probe.ask(["call": "pkcs12", "data": data, "options": options])
            return ["v_Ref": try reference(object(answer.result as? [[String: Any]] ?? []))]
        }
        let (first, second) = (try identity("first"), try identity("second"))
        #expect(try probe.call("add", first).status == 0)
        #expect(try probe.call("add", second).status == -25299)
        #expect(try count("cert") == 1 && count("keys") == 1 && count("idnt") == 1)
    }

    @Test func allIdentitiesAreDeletedTogether() throws {
        try #require(try imported("java.p12").status == 0)
        let certificates = try count("cert")
        #expect(try call("delete", [:]).status == 0)
        #expect(try count("idnt") == 0 && count("keys") == 0 && count("cert") == certificates - 2)
        #expect(try call("delete", [:]).status == -25300)
    }

    // MARK: Importing

    @Test func aFileIsImportedIntoTheKeychain() throws {
        let (status, entries) = try imported("modern.p12", ["nleg": true, "labl": "imported"])
        #expect(status == 0 && entries.count == 1)
        #expect(entries.first?["trusted"] as? Int == 3)
        #expect(try count("cert") == 3 && count("keys") == 1 && count("idnt", ["labl": "imported"]) == 1)
        #expect(try sign(object(entries)["key"]) == 0)
        // A second import keeps the items that are already stored.
        let again = try imported("modern.p12")
        #expect(try again.status == 0 && count("cert") == 3 && count("keys") == 1)
        #expect(try sign(object(again.entries)["key"]) == 0)
        #expect(try imported("modern.p12", [kSecImportExportKeychain as String: "x"]).status == -50)
        #expect(try imported("modern.p12", ["class": "keys"]).status != 0)
    }

    @Test func whatIsImportedNeverLeaves() throws {
        let object = try object(imported("modern.p12", ["extr": false]).entries)
        let key: [String: Any] = ["key": try reference(object["key"] as? [String: Any])]
        #expect(try sign(object["key"]) == 0)
        #expect(try probe.ask(["call": "export", "query": key]).status == -4)
    }
}
