import Foundation
import TestSupport
import Testing

/// Tests of Apple's calls for items of file keychains, against the real daemons: the rows of D.4 to D.6.
@Suite struct KeychainItemCallTests {
    private enum Expected {
        static let param = -50
        static let invalidOwnerEdit = -25244
        static let authFailed = -25293
        static let noSuchKeychain = -25294
        static let duplicateItem = -25299
        static let itemNotFound = -25300
        static let noSuchAttribute = -25303
        static let invalidItemReference = -25304
        static let noSuchClass = -25306
        static let noDefaultKeychain = -25307
    }

    private let household: Household
    private let probe: ProbeProcess

    /// Creates the household's one keychain, which is unlocked and the default.
    init() throws {
        household = try Household()
        probe = try household.probe()
        try household.create("a")
        #expect(try probe.ask(["call": "SecKeychain", "function": "SetDefault", "path": "a"]).status == 0)
    }

    private let forbidding: [String: Any] = [
        "call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false,
    ]

    private func call(
        _ function: String, _ more: [String: Any] = [:], of probe: ProbeProcess? = nil
    ) throws -> ProbeAnswer {
        let command: [String: Any] = ["call": "SecKeychainItem", "function": function]
        return try (probe ?? self.probe).ask(command.merging(more) { $1 })
    }

    /// The number of a newly stored item.
    private func added(_ more: [String: Any], internet: Bool = false) throws -> Int {
        let answer = try call(internet ? "AddInternet" : "AddGeneric", more)
        #expect(answer.status == 0)
        return try #require(answer.dictionary?["item"] as? Int)
    }

    private func found(_ more: [String: Any], internet: Bool = false) throws -> ProbeAnswer {
        try call(internet ? "FindInternet" : "FindGeneric", more)
    }

    private func attributes(_ item: Int, _ tags: [Any]) throws -> [String: Data] {
        let answer = try call("CopyContent", ["item": item, "tags": tags])
        #expect(answer.status == 0)
        let values = answer.dictionary?.compactMapValues { ($0 as? String).flatMap { Data(base64Encoded: $0) } }
        return (values ?? [:]).filter { tags.map { "\($0)" }.contains($0.key) }
    }

    private func text(_ item: Int, _ tag: Any) throws -> String? {
        try attributes(item, [tag]).values.first.map { String(decoding: $0, as: UTF8.self) }
    }

    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    private func base64(_ number: UInt32) -> String { withUnsafeBytes(of: number) { Data($0) }.base64EncodedString() }

    // MARK: D.4 Items

    @Test func aGenericPasswordIsAddedAndFound() throws {
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        for name in [["service": "mail", "account": "anna"], ["service": "mail"], ["account": "anna"], [:]] {
            let answer = try found((name as [String: Any]).merging(["data": true]) { $1 })
            #expect(answer.status == 0, "a NULL or zero-length criterion is a wildcard")
            #expect(answer.dictionary?["data"] as? String == "s3cret" && answer.dictionary?["length"] as? Int == 6)
        }
        #expect(try found(["service": "mail", "account": "bob"]).status == Expected.itemNotFound)
        #expect(try found(["service": "mail", "paths": ["a"]]).status == 0)
        #expect(try found(["service": "mail", "paths": []]).status == Expected.itemNotFound)
        #expect(try found(["service": "mail", "path": "missing"]).status == Expected.noSuchKeychain)
        let duplicate = try call("AddGeneric", ["service": "mail", "account": "anna", "password": "other"])
        #expect(duplicate.status == Expected.duplicateItem, "add a duplicate")
        #expect(try text(item, "labl") == "mail", "default label: the service")
        #expect(try text(item, 7) == "mail", "as tables of macOS call it")
        #expect(try text(try added(["account": "only", "password": ""]), "labl") == "only", "else the account")
        let keychain = try call("CopyKeychain", ["item": item]).dictionary?["keychain"] as? String
        #expect(keychain == "<SecKeychain: \(household.keychains)/a-db>")
    }

    @Test func anInternetPasswordHasAllPartsOfItsName() throws {
        let name: [String: Any] = [
            "server": "example.org", "domain": "realm", "account": "anna", "at": "/login", "port": 8443,
            "protocol": "htps", "authentication": "ptth",
        ]
        let item = try added(name.merging(["password": "s3cret"]) { $1 }, internet: true)
        // A port, protocol or authentication type of 0 is a wildcard.
        for part in name.keys {
            var fewer = name
            fewer[part] = nil
            #expect(try found(fewer, internet: true).status == 0, "\(part)")
            if part == "port" {
                fewer[part] = 8444
            } else if part == "protocol" {
                fewer[part] = "http"
            } else {
                fewer[part] = part == "authentication" ? "dtth" : "other"
            }
            #expect(try found(fewer, internet: true).status == Expected.itemNotFound, "\(part)")
        }
        #expect(try found(["data": true], internet: true).dictionary?["data"] as? String == "s3cret")
        let values = try attributes(item, ["srvr", "sdmn", "acct", "path", "port", "ptcl", "atyp", "labl"])
        #expect(values["srvr"] == Data("example.org".utf8) && values["path"] == Data("/login".utf8))
        #expect(values["port"] == Data([0xFB, 0x20, 0, 0]), "a UInt32")
        #expect(values["ptcl"] == Data("spth".utf8), "four characters, in the order of the machine")
        #expect(values["atyp"] == Data("http".utf8), "whose bytes are in the order of SecItem")
        #expect(values["labl"] == Data("example.org".utf8), "default label: the server")
        // SecItem shows the same attributes.
        let query: [String: Any] = ["class": "inet", "nleg": false, "r_Attributes": true, "port": 8443]
        let seen = try probe.call("find", query).dictionary
        #expect(seen?["ptcl"] as? String == "htps" && seen?["atyp"] as? String == "http")
        let bare = try added(["server": "bare", "password": ""], internet: true)
        let missing = try attributes(bare, ["port", "ptcl", "atyp", "desc"])
        #expect(missing == ["port": Data(count: 4), "ptcl": Data(count: 4), "atyp": Data(count: 4)])
    }

    @Test func passwordDataIsFetchedOnlyIfAskedFor() throws {
        _ = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        try household.lock("a")
        #expect(try probe.ask(forbidding).status == 0)
        let answer = try found(["service": "mail"])
        #expect(answer.status == 0 && answer.dictionary?["length"] as? Int == 4711 && answer.dictionary?["data"] == nil)
        // D.5: with UI off, the password data of a locked keychain cannot be read.
        #expect(try found(["service": "mail", "data": true]).status == Expected.authFailed)
        let item = try #require(answer.dictionary?["item"] as? Int)
        #expect(try text(item, "acct") == "anna", "works locked: reading attributes of passwords")
        #expect(try call("CopyContent", ["item": item, "data": true]).status == Expected.authFailed)
        #expect(try call("Modify", ["item": item, "password": "x"]).status == Expected.authFailed)
        #expect(try call("CopyAccess", ["item": item]).status == Expected.authFailed, "reading ACLs")
        #expect(try call("Delete", ["item": item]).status == Expected.authFailed)
        #expect(try call("AddGeneric", ["service": "x", "password": "x"]).status == Expected.authFailed, "adding")
    }

    @Test func itemsAreDeletedAndGoneThen() throws {
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        #expect(try call("Delete", ["item": item]).status == 0)
        #expect(try found(["service": "mail"]).status == Expected.itemNotFound)
        // The reference of a deleted item is invalid in every call.
        for function in ["Delete", "CopyContent", "CopyAccess", "SetAccess", "Copy"] {
            #expect(try call(function, ["item": item]).status == Expected.invalidItemReference, "\(function)")
        }
        #expect(try call("Modify", ["item": item, "password": "x"]).status == Expected.invalidItemReference)
        #expect(try call("AddGeneric", ["service": "x", "length": 3, "password": ""]).status == 0)
        #expect(try probe.ask(["call": "SecKeychain", "function": "Delete", "path": "a"]).status == 0)
        #expect(try call("AddGeneric", ["service": "x", "password": "x"]).status == Expected.noDefaultKeychain)
    }

    @Test func contentIsCreatedCopiedAndModified() throws {
        let made = try call(
            "Create",
            [
                "attributes": [
                    "svce": base64("mail"), "acct": base64("anna"), "gena": "AP8=", "desc": base64("kind"),
                    "type": base64(0x6E6F_7465), "crtr": base64(0x6F75_7273), "invi": base64(1),
                    "icmt": base64("remark"),
                ], "password": "s3cret",
            ])
        #expect(made.status == 0)
        let item = try #require(made.dictionary?["item"] as? Int)
        let all = try call("CopyAll", ["item": item, "data": true])
        let values = try #require(all.dictionary)
        #expect(all.status == 0 && values["class"] as? String == "genp" && values["data"] as? String == "s3cret")
        #expect(values["gena"] as? String == "AP8=" && values["type"] as? String == base64(0x6E6F_7465))
        #expect(values["crtr"] as? String == base64(0x6F75_7273) && values["invi"] as? String == base64(1))
        for date in ["cdat", "mdat"] {
            let bytes = try #require((values[date] as? String).flatMap { Data(base64Encoded: $0) })
            #expect(bytes.count == 16 && bytes[15] == 0 && bytes[14] == UInt8(ascii: "Z"), "16 bytes, UTC")
        }
        #expect(values["7"] as? String == base64("mail") && values["8"] == nil && values["prot"] == nil)

        // A call changes attributes and data in place, and the reference stays valid.
        let first = ["acct": base64("bob"), "icmt": base64("")]
        #expect(try call("Modify", ["item": item, "attributes": first]).status == 0)
        #expect(try call("ModifyContent", ["item": item, "password": "other"]).status == 0)
        #expect(try text(item, "acct") == "bob" && text(item, "icmt") == "")
        #expect(try found(["account": "bob", "data": true]).dictionary?["data"] as? String == "other")
        #expect(try call("ModifyContent", ["item": item, "password": ""]).status == 0)
        let empty = try found(["account": "bob", "data": true]).dictionary
        #expect(empty?["data"] as? String == "" && empty?["length"] as? Int == 0)
    }

    @Test func wrongContentIsRefused() throws {
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        _ = try added(["service": "mail", "account": "bob", "password": "s3cret"])
        for tag in ["srvr", "port", "vlme", "agrp", "sha1", "xxxx", "pcss"] {
            #expect(
                try call("CopyContent", ["item": item, "tags": [tag]]).status == Expected.noSuchAttribute, "\(tag)")
            let attributes = ["item": item, "attributes": [tag: "AAAA"]] as [String: Any]
            #expect(try call("Modify", attributes).status == Expected.noSuchAttribute, "\(tag)")
            #expect(try call("Create", ["attributes": [tag: "AAAA"], "path": "a"]).status == Expected.noSuchAttribute)
        }
        // A length without data is refused.
        #expect(try call("Modify", ["item": item, "attributes": ["acct": NSNull()]]).status == Expected.param)
        #expect(try call("Modify", ["item": item, "length": 5]).status == Expected.param)
        #expect(try call("Create", ["length": 5]).status == Expected.param)
        for (tag, value) in [
            ("cdat", "20240230000000Z\0"), ("cdat", "today"), ("type", "note!"), ("invi", ""),
            ("mdat", "20240101000000Y\0"),
        ] {
            let attributes = ["item": item, "attributes": [tag: base64(value)]] as [String: Any]
            #expect(try call("Modify", attributes).status == Expected.param, "\(tag) \(value)")
        }
        let duplicate = ["item": item, "attributes": ["acct": base64("bob")]] as [String: Any]
        #expect(try call("Modify", duplicate).status == Expected.duplicateItem)
        #expect(try call("Create", ["class": "ashp"]).status == Expected.noSuchClass)
        // The bytes of a certificate item have to be a certificate.
        #expect(try call("Create", ["class": "cert", "password": "none"]).status == Expected.param)
        #expect(try text(item, "acct") == "anna")
    }

    @Test func tablesTellWhichAttributesThereAre() throws {
        for (table, count) in [(0x8000_0000, 16), (0x8000_0001, 20), (0x6765_6E70, 16)] {
            let info = try call("Info", ["table": table]).dictionary
            let (tags, formats) = (info?["tags"] as? [Int], info?["formats"] as? [Int])
            #expect(tags?.count == count && formats?.count == count && tags?.prefix(2) == [7, 8])
            #expect(formats?.prefix(3) == [6, 6, 6], "label, alias, account")
            let date = try #require(tags?.firstIndex(of: 0x6364_6174))
            #expect(formats?[date] == 5)
        }
        let certificates = try call("Info", ["table": 0x8000_1000]).dictionary?["tags"] as? [Int]
        #expect(certificates?.count == 9 && certificates?.contains(0x736E_6272) == true, "snbr")
        #expect(try call("Info", ["table": 0x8000_1002]).status == Expected.noSuchClass)
    }

    @Test func searchesTellOneAfterTheOther() throws {
        for account in ["anna", "bob"] { _ = try added(["service": "mail", "account": account, "password": "x"]) }
        let search = try call("Search", ["attributes": ["svce": base64("mail")]])
        let items = try #require(search.dictionary?["items"] as? [Int])
        #expect(try Set(items.compactMap { try text($0, "acct") }) == ["anna", "bob"])
        #expect(search.dictionary?["last"] as? Int == Expected.itemNotFound)
        #expect((try call("Search", ["path": "a"]).dictionary?["items"] as? [Int])?.count == 2)
        #expect((try call("Search", ["class": "inet"]).dictionary?["items"] as? [Int])?.count == 0)
        #expect(try call("Search", ["attributes": ["srvr": "AAAA"]]).status == Expected.noSuchAttribute)
    }

    // MARK: Access objects

    @Test func accessObjectsAreCopiedAndSet() throws {
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        let entries = try #require(try call("CopyAccess", ["item": item]).dictionary?["entries"] as? Int)
        #expect(entries >= 3)
        // The owner entry of the default object always asks, and UI is off.
        #expect(try probe.ask(forbidding).status == 0)
        #expect(try call("SetAccess", ["item": item, "descriptor": "x"]).status == Expected.authFailed)
        // The access object does not list the caller; the keychain is unlocked, and UI is off.
        let closed = try call(
            "Create", ["attributes": ["svce": base64("closed")], "password": "x", "access": "closed"])
        #expect(closed.status == 0)
        #expect(try found(["service": "closed", "data": true]).status == Expected.authFailed)
        #expect(try found(["service": "closed"]).status == 0)
        // The first item does not list the other program, which may neither read the item nor copy it.
        let path = try household.application("other")
        let change = try Program(["sh", "-c", "printf x >>\"$0\"", path], environment: ["PATH": Program.searchPath])
        try #require(change.finish() == 0)
        let other = try household.probe("other")
        #expect(try other.ask(forbidding).status == 0)
        let seen = try call("FindGeneric", ["service": "mail"], of: other)
        let number = try #require(seen.dictionary?["item"] as? Int)
        #expect(try call("Copy", ["item": number], of: other).status == Expected.authFailed)
        #expect(try call("Delete", ["item": number], of: other).status == Expected.invalidOwnerEdit)
        #expect(try call("CopyContent", ["item": number, "data": true], of: other).status == Expected.authFailed)
    }

    // MARK: D.6 Persistent references

    @Test func persistentReferencesResolveInAnyProcess() throws {
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret"])
        let reference = try #require(try call("Reference", ["item": item]).dictionary?["reference"] as? String)
        let other = try household.probe("other")
        let answer = try call("FromReference", ["reference": reference], of: other)
        #expect(answer.status == 0)
        let number = try #require(answer.dictionary?["item"] as? Int)
        let content = try call("CopyContent", ["item": number, "tags": ["acct"]], of: other)
        #expect(content.dictionary?["acct"] as? String == base64("anna"))
        let keychain = try call("CopyKeychain", ["item": number], of: other)
        #expect(keychain.dictionary?["keychain"] as? String == "<SecKeychain: \(household.keychains)/a-db>")
        #expect(try call("Delete", ["item": item]).status == 0)
        #expect(try call("FromReference", ["reference": reference], of: other).status == Expected.itemNotFound)
        #expect(try call("FromReference", ["reference": "AAAA"], of: other).status == Expected.itemNotFound)
    }

    @Test func anItemIsCopiedToAnotherKeychain() throws {
        try household.create("b")
        let item = try added(["service": "mail", "account": "anna", "password": "s3cret", "path": "a"])
        #expect(try call("Copy", ["item": item]).status == Expected.duplicateItem, "it is in the default one")
        let answer = try call("Copy", ["item": item, "path": "b"])
        #expect(answer.status == 0)
        let copy = try #require(answer.dictionary?["item"] as? Int)
        #expect(try found(["service": "mail", "path": "b", "data": true]).dictionary?["data"] as? String == "s3cret")
        #expect(try text(copy, "labl") == "mail")
    }

    /// A secure note is a generic password of the type `note`, whose data is a property list with the text.
    @Test func secureNotesRoundTrip() throws {
        let note = try PropertyListSerialization.data(
            fromPropertyList: ["NOTE": "milk & bread\n"], format: .xml, options: 0)
        let text = String(decoding: note, as: UTF8.self)
        let attributes = [
            "svce": base64("Shopping"), "desc": base64("secure note"), "type": base64(0x6E6F_7465),
            "labl": base64("Shopping"),
        ]
        let made = try call("Create", ["attributes": attributes, "password": text])
        let item = try #require(made.dictionary?["item"] as? Int)
        let content = try call("CopyContent", ["item": item, "tags": ["type", "desc"], "data": true]).dictionary
        #expect(content?["type"] as? String == base64(0x6E6F_7465))
        #expect(content?["desc"] as? String == base64("secure note"))
        #expect(content?["data"] as? String == text)
        let query: [String: Any] = ["class": "genp", "nleg": false, "type": 0x6E6F_7465, "r_Data": true]
        #expect(try probe.call("find", query).data == note)
    }
}
