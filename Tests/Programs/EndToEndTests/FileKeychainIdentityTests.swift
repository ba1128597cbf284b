import Foundation
import Security
import TestSupport
import Testing

/// Tests of identities in file keychains, and of files that are imported into them (behaviour/keychain-items.md).
@Suite struct FileKeychainIdentityTests {
    private enum Expected {
        static let invalidOwnerEdit = -25244
        static let authFailed = -25293
        static let duplicateItem = -25299
        static let itemNotFound = -25300
        static let unimplemented = -4
    }

    private static let keychain = kSecImportExportKeychain as String
    private static let signing = "algid:sign:RSA:message-PKCS1v15:SHA256"

    private let household: Household
    private let probe: ProbeProcess

    init() throws {
        household = try Household()
        probe = try household.silentProbe("app")
        try household.create("a")
        try household.create("b")
    }

    private func other() throws -> ProbeProcess {
        _ = try household.otherApplication("game")
        return try household.silentProbe("game")
    }

    private static func list(_ names: String...) -> [[String: Any]] { names.map { ["keychain": $0] } }

    private func fixture(_ name: String) throws -> String {
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/\(name)")
        return try Data(contentsOf: place).base64EncodedString()
    }

    private func imported(
        _ name: String = "modern.p12", _ options: [String: Any]
    ) throws -> (status: Int, entries: [[String: Any]]) {
        let answer = try probe.ask([
            "call": "pkcs12", "data": try fixture(name), "options": options.merging(["passphrase": "password"]) { $1 },
        ])
        return (answer.status, answer.result as? [[String: Any]] ?? [])
    }

    private func object(_ entries: [[String: Any]]) throws -> [String: Any] {
        try #require(entries.first?["object"] as? [String: Any])
    }

    private func reference(_ object: Any?) throws -> [String: Int] {
        ["reference": try #require((object as? [String: Any])?["reference"] as? Int)]
    }

    private func count(_ itemClass: String, in names: String..., query: [String: Any] = [:]) throws -> Int {
        let all: [String: Any] = [
            "class": itemClass, "r_Attributes": true, "m_Limit": "m_LimitAll",
            "m_SearchList": names.map { ["keychain": $0] },
        ]
        return try probe.call("find", all.merging(query) { $1 }).array?.count ?? 0
    }

    private func sign(_ key: Any?, by other: ProbeProcess? = nil) throws -> Int {
        try (other ?? probe).ask([
            "call": "sign", "algorithm": Self.signing,
            "query": ["key": try reference(key), "data": PasswordTests.data("m")] as [String: Any],
        ]).status
    }

    @Test func aFileIsImported() throws {
        let (status, entries) = try imported("modern.p12", [Self.keychain: ["keychain": "a"]])
        #expect(status == 0 && entries.count == 1)
        #expect(try count("idnt", in: "a") == 1 && count("keys", in: "a") == 1 && count("cert", in: "a") >= 1)
        #expect(try count("idnt", in: "b") == 0)
        #expect(try probe.call("find", ["class": "idnt"]).status == Expected.itemNotFound)
        #expect(try sign(object(entries)["key"]) == 0)
        // A second import keeps the items that are already stored.
        #expect(try imported("modern.p12", [Self.keychain: ["keychain": "a"]]).status == 0)
        #expect(try count("idnt", in: "a") == 1)
        // A program that is not listed finds the identity, but cannot sign with it.
        let game = try other()
        let found = try game.call(
            "find", ["class": "idnt", "m_SearchList": Self.list("a"), "r_Ref": true])
        #expect(found.status == 0)
        #expect(try sign(found.dictionary?["key"], by: game) == Expected.authFailed)
        let kept = try imported("java.p12", [Self.keychain: ["keychain": "b"], "extr": false])
        #expect(kept.status == 0)
        let key = try reference(object(kept.entries)["key"])
        #expect(try probe.ask(["call": "export", "query": ["key": key]]).status == Expected.unimplemented)
    }

    /// The call for files of any kind imports an identity and exports it again.
    @Test func aFileOfAnyKindIsImportedAndExported() throws {
        func read(_ name: String, _ more: [String: Any]) throws -> (status: Int, items: [String]) {
            let command: [String: Any] = ["call": "import", "data": try fixture(name), "passphrase": "password"]
            let answer = try probe.ask(command.merging(more) { $1 })
            return (answer.status, answer.dictionary?["items"] as? [String] ?? [])
        }
        let first = try read("modern.p12", ["keychain": "a"])
        #expect(first.status == 0 && first.items.count == 3 && first.items[0].hasPrefix("identity "))
        #expect(first.items == (try read("modern.p12", [:])).items)
        #expect(try count("idnt", in: "a") == 1 && count("cert", in: "a") == 3)
        // A key that is already stored fails the import; a certificate that is already stored does not.
        #expect(try read("modern.p12", ["keychain": "a"]).status == Expected.duplicateItem)
        #expect(try probe.call("delete", ["class": "keys", "m_SearchList": Self.list("a")]).status == 0)
        #expect(try read("modern.p12", ["keychain": "a"]).status == 0)
        // A listed program exports the identity from the keychain that has it.
        let written = try probe.ask([
            "call": "convert", "data": try fixture("modern.p12"), "passphrase": "password", "keychain": "b", "to": 12,
            "newPassphrase": "other",
        ])
        #expect(try written.status == 0 && count("idnt", in: "b") == 1)
        try household.create("c")
        let kept = try read("modern.p12", ["keychain": "c", "attributes": ["perm", "sens"]])
        #expect(kept.status == 0 && kept.items[0].hasSuffix("bits> "))
        #expect(try count("keys", in: "c", query: ["extr": false]) == 1)
        let refused = try probe.ask([
            "call": "convert", "data": try fixture("java.p12"), "passphrase": "password", "keychain": "c", "to": 12,
            "newPassphrase": "other", "attributes": ["perm"],
        ])
        #expect(refused.status == Expected.unimplemented)
    }

    @Test func anIdentityIsAddedFoundAndDeleted() throws {
        let object = try object(imported("modern.p12", ["memory": true]).entries)
        let one: [String: Any] = [
            "v_Ref": try reference(object), "u_Keychain": ["keychain": "a"], "labl": "mine", "r_Ref": true,
            "r_PersistentRef": true,
        ]
        let added = try #require(try probe.call("add", one).dictionary)
        #expect(try probe.call("add", one).status == Expected.duplicateItem)
        let identity = try #require(added["v_Ref"] as? [String: Any])
        #expect(try sign(identity["key"]) == 0)
        let persistent = try #require(ProbeAnswer.data(added["v_PersistentRef"]))
        let again = try probe.call(
            "find", ["v_PersistentRef": ["data": persistent.base64EncodedString()], "r_Ref": true])
        #expect(again.status == 0)
        #expect(try count("idnt", in: "a", query: ["labl": "mine"]) == 1)
        #expect(try count("idnt", in: "a", query: ["labl": "other"]) == 0)
        #expect(try count("idnt", in: "b", "a") == 1)
        // Names are readable in a locked keychain too.
        try household.lock("a")
        let locked = try probe.call(
            "find", ["class": "idnt", "m_SearchList": Self.list("a"), "r_Ref": true])
        #expect(locked.status == 0)
        #expect(try sign(locked.dictionary?["key"]) == Expected.authFailed)
        #expect(try household.unlock("a") == .done)
        #expect(try sign(locked.dictionary?["key"]) == 0)
        #expect(try probe.call("delete", ["v_Ref": try reference(identity)]).status == 0)
        #expect(try count("cert", in: "a") == 0 && count("keys", in: "a") == 0)
    }

    @Test func anUpdateChangesCertificateAndKey() throws {
        try #require(try imported("java.p12", ["keychain": ["keychain": "a"]]).status == 0)
        let query: [String: Any] = ["class": "idnt", "m_SearchList": Self.list("a")]
        func update(_ change: [String: Any]) throws -> Int { try probe.call("update", query, change: change).status }
        #expect(try update(["labl": "both", "atag": PasswordTests.data("tag")]) == 0)
        #expect(try count("idnt", in: "a", query: ["labl": "both", "atag": PasswordTests.data("tag")]) == 2)
        #expect(try count("cert", in: "a", query: ["labl": "both"]) == 2)
        #expect(try count("keys", in: "a", query: ["labl": "both"]) == 2)
        #expect(try update(["labl": "x", "subj": PasswordTests.data("x")]) == -50)
        #expect(try count("keys", in: "a", query: ["labl": "both"]) == 2)
    }

    /// A key that is already stored need not be exported to be added with its certificate, even without a named
    /// keychain.
    @Test func theKeyThatIsInTheDefaultKeychainStays() throws {
        #expect(try probe.ask(["call": "SecKeychain", "function": "SetDefault", "path": "a"]).status == 0)
        let object = try object(imported("modern.p12", [Self.keychain: ["keychain": "a"], "extr": false]).entries)
        let list = Self.list("a")
        let found = try probe.call("find", ["class": "idnt", "m_SearchList": list, "r_Ref": true])
        let again: [String: Any] = ["v_Ref": try reference(found.dictionary), "nleg": false]
        #expect(try probe.call("add", again).status == Expected.duplicateItem)
        #expect(try probe.call("delete", ["class": "cert", "m_SearchList": list]).status == 0)
        #expect(try probe.call("add", again).status == 0)
        #expect(try count("idnt", in: "a") == 1 && sign(object["key"]) == 0)
        // The other keychain does not have the key, and its bytes cannot be copied there.
        let elsewhere = again.merging(["u_Keychain": ["keychain": "b"]]) { $1 }
        #expect(try probe.call("add", elsewhere).status == Expected.unimplemented)
        #expect(try count("cert", in: "b") == 0)
    }

    @Test func halvesInTwoKeychainsAreNone() throws {
        let object = try object(imported("modern.p12", ["memory": true]).entries)
        let der = try #require((object["certificate"] as? [String: Any])?["certificate"] as? String)
        let certificate = try probe.call("add", ["v_Ref": ["certificate": der], "u_Keychain": ["keychain": "a"]])
        let key = try probe.call("add", ["v_Ref": try reference(object["key"]), "u_Keychain": ["keychain": "b"]])
        #expect(certificate.status == 0 && key.status == 0)
        #expect(try count("idnt", in: "a", "b") == 0)
    }

    @Test func theKeyOfACertificateIsFoundInKeychains() throws {
        let (_, entries) = try imported("modern.p12", [Self.keychain: ["keychain": "a"]])
        let der = try #require((try object(entries)["certificate"] as? [String: Any])?["certificate"] as? String)
        func found(_ names: [String]?) throws -> ProbeAnswer {
            var command: [String: Any] = ["call": "identityOf", "data": der]
            command["keychains"] = names
            return try probe.ask(command)
        }
        #expect(try sign(found(["a"]).dictionary?["key"]) == 0)
        #expect(try found(["b"]).status == Expected.itemNotFound)
        #expect(try found(["b", "a"]).status == 0)
        // The identity is found in the search list, which has the new keychains.
        #expect(try sign(found(nil).dictionary?["key"]) == 0)
    }

    /// A program may give its own key any label.
    ///
    /// An import of the key that has the label by right fails as a duplicate, and no identity gets the other key.
    @Test func aKeyThatBearsTheLabelOfAnotherIsNone() throws {
        let (_, entries) = try imported("modern.p12", ["keychain": ["keychain": "b"]])
        let der = try #require((try object(entries)["certificate"] as? [String: Any])?["certificate"] as? String)
        let inB = try probe.call(
            "find", ["class": "keys", "kcls": "1", "m_SearchList": Self.list("b"), "r_Attributes": true])
        let label = try #require(ProbeAnswer.data(inB.dictionary?["klbl"]))
        let bits = try #require(inB.dictionary?["bsiz"] as? Int)
        let other = try CommandRun(["openssl", "genrsa", "-traditional", "\(bits)"])
        let bytes = other.output.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let planted = try self.other().call(
            "add",
            [
                "class": "keys", "v_Data": ["data": bytes], "kcls": "1", "type": "42",
                "klbl": ["data": label.base64EncodedString()], "u_Keychain": ["keychain": "a"],
            ])
        #expect(planted.status == 0)
        #expect(try imported("modern.p12", ["keychain": ["keychain": "a"]]).status == Expected.duplicateItem)
        #expect(try count("cert", in: "a") == 0)
        #expect(
            try probe.call("add", ["v_Ref": ["certificate": der], "u_Keychain": ["keychain": "a"]]).status == 0)
        #expect(try count("idnt", in: "a") == 0)
        for names in [["a"], ["a", "b"]] {
            let answer = try probe.ask(["call": "identityOf", "data": der, "keychains": names])
            #expect(answer.status == (names == ["a"] ? Expected.itemNotFound : 0))
            if names.count > 1 { #expect(try sign(answer.dictionary?["key"]) == 0) }
        }
    }

    @Test func whoIsNotListedDeletesNothing() throws {
        _ = try imported("modern.p12", [Self.keychain: ["keychain": "a"]])
        let game = try other()
        let all: [String: Any] = ["class": "idnt", "m_SearchList": Self.list("a")]
        #expect(try game.call("delete", all).status == Expected.invalidOwnerEdit)
        #expect(try count("idnt", in: "a") == 1)
        #expect(try probe.call("delete", all).status == 0)
        #expect(try count("idnt", in: "a") == 0)
    }
}
