import ChatelaineMemory
import Testing

@testable import ChatelaineModel

/// Tests of keys and their values (behaviour/dictionaries.md), and of each call's rules as far as a dictionary decides
/// them.
struct QueryParserKeyTests {
    static let reference = QueryValue.data(Array("genp".utf8) + Array(repeating: 7, count: 16))
    static let genp = QueryValue.text("genp")
    static let inet = QueryValue.text("inet")
    static let item = QueryValue.reference(
        PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier(Bytes16(repeating: 7))))
    static let other = QueryValue.reference(
        PersistentReference(itemClass: .internetPassword, identifier: ItemIdentifier(Bytes16(repeating: 8))))

    static let certificate = QueryValue.certificate([0x30, 1])
    static let identity = QueryValue.identity(certificate: [0x30, 2], SomeKey(3))

    @Test(arguments: classes + spelling + returns + matches + uses + values + lists + fileKeychain)
    func row(_ row: ParserRow) {
        for operation in row.operations {
            let result = meaning(row.pairs, operation)
            #expect(result.status == row.status, "\(row) in \(operation): \(result)")
            if case .success(let made) = result {
                #expect(throws: Never.self, "the daemon refuses what the parser made of: \(row)") {
                    try made.validate()
                }
            }
        }
    }

    static let classes: [ParserRow] = [
        ParserRow("class missing", everyOperation, ["acct": .text("a")], .param),
        ParserRow("class of no name", everyOperation, ["class": .text("gemp")], .noSuchClass),
        ParserRow("class empty", everyOperation, ["class": .text("")], .noSuchClass),
        ParserRow("class not a string", everyOperation, ["class": .number(1)], .param),
        ParserRow("class null", everyOperation, ["class": .null], .param),
        ParserRow("class alone", everyOperation, ["class": genp]),
        ParserRow("identity", everyOperation, ["class": .text("idnt")]),
        ParserRow("a persistent reference implies the class", searches, ["v_PersistentRef": reference]),
        ParserRow(
            "reference of another class", everyOperation, ["v_PersistentRef": reference, "class": inet],
            .noSuchClass),
        ParserRow("reference in an addition", [.add], ["class": genp, "v_PersistentRef": reference]),
        ParserRow("reference in an addition, without a class", [.add], ["v_PersistentRef": reference]),
        ParserRow(
            "reference of an old form in an addition", [.add], ["class": genp, "v_PersistentRef": .data([1])],
            .param),
    ]

    static let spelling: [ParserRow] = [
        ParserRow("empty key", everyOperation, ["class": genp, "": .text("a")], .param),
        ParserRow("one character", everyOperation, ["class": genp, "m": .text("a")], .param),
        ParserRow("one character of two bytes", everyOperation, ["class": genp, "é": .text("a")], .param),
        ParserRow("another first letter", everyOperation, ["class": genp, "x_Data": .text("a")], .param),
        ParserRow("class spelt otherwise", everyOperation, ["class": genp, "c_lass": .text("a")], .param),
        ParserRow("a callback is ignored", everyOperation, ["class": genp, "f_Callback": .other]),
        ParserRow("null", everyOperation, ["class": genp, "acct": .null], .param),
        ParserRow("null for a callback", everyOperation, ["class": genp, "f_Callback": .null], .param),
        ParserRow("attribute of no class", everyOperation, ["class": genp, "zzzz": .text("a")], .noSuchAttribute),
        ParserRow("attribute of another class", everyOperation, ["class": genp, "srvr": .text("a")], .noSuchAttribute),
        ParserRow(
            "four characters of more bytes", everyOperation, ["class": genp, "ääää": .text("a")], .noSuchAttribute),
        ParserRow("unknown return key", everyOperation, ["class": genp, "r_Foo": .number(1)], .param),
        ParserRow("unknown use key", everyOperation, ["class": genp, "u_Foo": .number(1)], .param),
        ParserRow("unknown value key", everyOperation, ["class": genp, "v_Foo": .number(1)], .param),
        ParserRow("unknown match key", [.find], ["class": genp, "m_Foo": .other]),
        ParserRow("unknown match key", [.update, .delete], ["class": genp, "m_Foo": .other], .param),
    ]

    static let returns: [ParserRow] = [
        ParserRow("return key not a boolean", [.add, .find], ["class": genp, "r_Data": .text("yes")], .param),
        ParserRow("return key of two", [.add, .find], ["class": genp, "r_Ref": .number(2)], .param),
        ParserRow("return key a fraction", [.add, .find], ["class": genp, "r_Ref": .real(0.5)], .param),
        ParserRow(
            "return keys false", [.add, .find], ["class": genp, "r_Data": .number(0), "r_Attributes": .number(0)]),
        ParserRow(
            "ruling 3: set aside", [.update, .delete],
            [
                "class": genp, "r_Data": .text("odd"), "r_Attributes": .number(1), "r_Ref": .number(1),
                "r_PersistentRef": .number(1), "m_Limit": .text("m_LimitAll"), "v_Data": .number(5),
                "m_CaseInsensitive": .number(1), "m_Policy": .other, "m_Issuers": .array([]),
                "m_TrustedOnly": .number(1),
                "m_EmailAddressIfPresent": .text("a"), "m_SubjectContains": .text("a"), "m_ValidOnDate": .date(0),
            ]),
    ]

    static let matches: [ParserRow] = [
        ParserRow("limit one", [.add, .find], ["class": genp, "m_Limit": .text("m_LimitOne")]),
        ParserRow("limit a number", [.find], ["class": genp, "m_Limit": .number(3)]),
        ParserRow("limit beyond reason", [.find], ["class": genp, "m_Limit": .number(.max)]),
        ParserRow("limit zero", [.find], ["class": genp, "m_Limit": .number(0)], .itemNotFound),
        ParserRow("limit zero elsewhere", [.add, .update, .delete], ["class": genp, "m_Limit": .number(0)]),
        ParserRow("limit negative", [.find], ["class": genp, "m_Limit": .number(-1)]),
        ParserRow("limit beneath all reason", [.find], ["class": genp, "m_Limit": .number(.min)]),
        ParserRow("limit another string", [.find], ["class": genp, "m_Limit": .text("all")], .param),
        ParserRow("limit a fraction", [.find], ["class": genp, "m_Limit": .real(1.5)], .param),
        ParserRow("limit data", [.find], ["class": genp, "m_Limit": .data([1])], .param),
        ParserRow("policy no policy", [.find], ["class": .text("cert"), "m_Policy": .text("ssl")], .param),
        ParserRow("policy of certificates", [.find], ["class": .text("cert"), "m_Policy": .policy(TrustPolicy(.ssl))]),
        ParserRow("policy of passwords", [.find], ["class": genp, "m_Policy": .other], .unimplemented),
        ParserRow("issuers of passwords", [.find], ["class": inet, "m_Issuers": .array([])], .unimplemented),
        ParserRow("issuers of certificates", [.find], ["class": .text("cert"), "m_Issuers": .array([])]),
        ParserRow("issuers of identities", [.find], ["class": .text("idnt"), "m_Issuers": .array([])]),
        ParserRow("issuers no array", [.find], ["class": .text("cert"), "m_Issuers": .data([1])], .param),
        ParserRow("trusted only no boolean", [.find], ["class": genp, "m_TrustedOnly": .text("yes")], .param),
        ParserRow("trusted only has no effect", [.find], ["class": genp, "m_TrustedOnly": .number(1)]),
        ParserRow("valid on date: null means now", [.find], ["class": genp, "m_ValidOnDate": .null]),
        ParserRow("valid on a number", [.find], ["class": genp, "m_ValidOnDate": .number(0)], .param),
        ParserRow("e-mail no string", [.find], ["class": genp, "m_EmailAddressIfPresent": .number(0)], .param),
        ParserRow("e-mail has no effect", [.find], ["class": genp, "m_EmailAddressIfPresent": .text("a@b")]),
        ParserRow("host", [.find], ["class": inet, "m_HostOrSubdomainOfHost": .text("a.org")]),
        ParserRow("host no string", [.find], ["class": inet, "m_HostOrSubdomainOfHost": .number(1)], .param),
        ParserRow(
            "host of others", [.find], ["class": genp, "m_HostOrSubdomainOfHost": .text("a")], .unimplemented),
        ParserRow(
            "host outside a search", [.add, .update, .delete], ["class": inet, "m_HostOrSubdomainOfHost": .text("a")],
            .param),
        ParserRow("ruling 2: case-insensitive", [.find], ["class": genp, "m_CaseInsensitive": .number(1)]),
        ParserRow("case-insensitive false", [.find], ["class": inet, "m_CaseInsensitive": .number(0)]),
        ParserRow("case-insensitive no boolean", [.find], ["class": genp, "m_CaseInsensitive": .text("1")], .param),
        ParserRow("case-insensitive of two", [.find], ["class": genp, "m_CaseInsensitive": .number(2)], .param),
        ParserRow("case-insensitive set aside", [.update, .delete], ["class": genp, "m_CaseInsensitive": .text("1")]),
        ParserRow("subject", [.find], ["class": genp, "m_SubjectContains": .text("a")]),
    ]

    static let uses: [ParserRow] = [
        ParserRow("UI no string", everyOperation, ["class": genp, "u_AuthUI": .number(1)], .param),
        ParserRow("UI another string", everyOperation, ["class": genp, "u_AuthUI": .text("maybe")], .param),
        ParserRow("UI allowed, forbidden", everyOperation, ["class": genp, "u_AuthUI": .text("u_AuthUIA")]),
        ParserRow("UI forbidden", everyOperation, ["class": genp, "u_AuthUI": .text("u_AuthUIF")]),
        ParserRow("skip", [.find], ["class": genp, "u_AuthUI": .text("u_AuthUIS")]),
        ParserRow(
            "skip elsewhere", [.add, .update, .delete], ["class": genp, "u_AuthUI": .text("u_AuthUIS")], .param),
        ParserRow("old key no boolean", everyOperation, ["class": genp, "u_NoAuthUI": .text("yes")], .param),
        ParserRow("prompt", everyOperation, ["class": genp, "u_OpPrompt": .text("please")]),
        ParserRow("prompt no string", everyOperation, ["class": genp, "u_OpPrompt": .number(1)], .param),
        ParserRow("something else as a context", everyOperation, ["class": genp, "u_AuthCtx": .other], .param),
        ParserRow("a context", [.find], ["class": genp, "u_AuthCtx": .context(SomeContext())]),
        ParserRow(
            "credential reference no data", everyOperation, ["class": genp, "u_CredRef": .text("a")], .param),
        ParserRow(
            "system keychain", everyOperation, ["class": genp, "u_UserIndependentKeychain": .number(1)],
            .missingEntitlement),
        ParserRow("no system keychain", everyOperation, ["class": genp, "u_UserIndependentKeychain": .number(0)]),
        ParserRow("tombstones", [.delete], ["class": genp, "u_Tomb": .number(1)]),
        ParserRow("tombstones no boolean", [.delete], ["class": genp, "u_Tomb": .text("a")], .param),
    ]

    static let values: [ParserRow] = [
        ParserRow("ruling 7: a string to add", [.add], ["class": genp, "v_Data": .text("pässword")]),
        ParserRow("ruling 7: a number", [.add, .find], ["class": genp, "v_Data": .number(5)], .param),
        ParserRow("a string to find", [.find], ["class": genp, "v_Data": .text("a")], .param),
        ParserRow("data", [.add, .find], ["class": genp, "v_Data": .data([1])]),
        ParserRow("empty data", [.add], ["class": genp, "v_Data": .data([])]),
        ParserRow("a value reference", everyOperation, ["class": genp, "v_Ref": .other], .param),
        ParserRow("a value reference alone", everyOperation, ["v_Ref": .other], .param),
        ParserRow("ruling 12: a reference", searches, ["v_Ref": item]),
        ParserRow("a reference with attributes", searches, ["v_Ref": item, "acct": .text("a"), "class": genp]),
        ParserRow("a reference of another class", searches, ["v_Ref": item, "class": inet], .noSuchClass),
        ParserRow(
            "two references of two classes", searches, ["v_Ref": other, "v_PersistentRef": reference], .noSuchClass),
        ParserRow("a reference to add", [.add], ["v_Ref": item, "class": genp], .param),
        ParserRow("a reference where data belongs", searches, ["v_PersistentRef": item], .param),
        ParserRow("data where a reference belongs", searches, ["v_Ref": reference], .param),
        ParserRow("reference no data", searches, ["v_PersistentRef": .text("genp")], .param),
        ParserRow("reference too short", searches, ["v_PersistentRef": .data(Array("genp".utf8))], .param),
        ParserRow(
            "reference of no class", searches, ["v_PersistentRef": .data(Array(repeating: 65, count: 20))], .param),
        ParserRow("with an attribute", searches, ["v_PersistentRef": reference, "acct": .text("a")], .param),
        ParserRow("with a group", searches, ["v_PersistentRef": reference, "agrp": .text("a")], .param),
        ParserRow(
            "with a protection class", searches, ["v_PersistentRef": reference, "pdmn": .text("ak")], .param),
        ParserRow(
            "with an access control", searches,
            ["v_PersistentRef": reference, "accc": .accessControl(AccessControl(protection: .always))], .param),
        ParserRow(
            "with return, use and class", searches,
            [
                "v_PersistentRef": reference, "class": genp, "r_Data": .number(1), "u_AuthUI": .text("u_AuthUIF"),
                "nleg": .number(1), "sync": .number(1),
            ]),
        ParserRow(
            "ruling 11: row identifier", searches, ["class": genp, "persistref": .data(Array(repeating: 1, count: 16))]),
        ParserRow(
            "ruling 11: row identifier as UUID", searches,
            ["class": genp, "persistref": .uuid(Array(repeating: 1, count: 16))]),
        ParserRow("row identifier too short", searches, ["class": genp, "persistref": .data([1])], .param),
        ParserRow(
            "row identifier to add", [.add], ["class": genp, "persistref": .data(Array(repeating: 1, count: 16))],
            .param),
        ParserRow(
            "two identifiers", searches,
            ["v_PersistentRef": reference, "persistref": .data(Array(repeating: 1, count: 16))], .param),
    ]

    static let lists: [ParserRow] =
        ["m_ItemList", "u_ItemList"].flatMap { key in
            [
                ParserRow("ruling 12: \(key)", searches, ["class": genp, key: .array([item, reference, other])]),
                ParserRow(
                    "\(key) with all else", searches,
                    ["class": genp, key: .array([item]), "acct": .text("a"), "agrp": .text("g")]),
                ParserRow(
                    "\(key) and a reference", searches,
                    ["class": genp, key: .array([item]), "v_PersistentRef": reference]),
                ParserRow("\(key), empty", searches, ["class": genp, key: .array([])]),
                ParserRow("\(key), no array", searches, ["class": genp, key: reference], .param),
                ParserRow("\(key), null", searches, ["class": genp, key: .null], .param),
                ParserRow("\(key) with a string", searches, ["class": genp, key: .array([item, .text("a")])], .param),
                ParserRow("\(key) with an array", searches, ["class": genp, key: .array([.array([])])], .param),
                ParserRow(
                    "\(key) of what no call returned", searches, ["class": genp, key: .array([.data([1, 2])])],
                    .param),
                ParserRow("\(key) to add", [.add], ["class": genp, key: .array([item])], .param),
                ParserRow(
                    "\(key), as long as may be", searches,
                    ["class": genp, key: .array(Array(repeating: reference, count: Limits.listedItems))]),
                ParserRow(
                    "\(key), too long", searches,
                    ["class": genp, key: .array(Array(repeating: reference, count: Limits.listedItems + 1))], .param),
            ]
        } + [
            ParserRow("a match list needs a class", searches, ["m_ItemList": .array([item])], .param),
            ParserRow("a list to use implies one", searches, ["u_ItemList": .array([item, item])]),
            ParserRow("an empty one does not", searches, ["u_ItemList": .array([])], .param),
            ParserRow("nor does one of several", searches, ["u_ItemList": .array([item, other])], .param),
            ParserRow("one of certificates", searches, ["u_ItemList": .array([certificate, certificate])]),
            ParserRow("one of an identity", searches, ["u_ItemList": .array([identity])]),
            ParserRow("both of these", searches, ["u_ItemList": .array([certificate, identity])], .param),
            ParserRow("a certificate and a password", searches, ["u_ItemList": .array([certificate, item])], .param),
            ParserRow("a match list of certificates", searches, ["m_ItemList": .array([certificate])], .param),
            ParserRow("a key in memory", searches, ["u_ItemList": .array([.key(SomeKey(1))])]),
            ParserRow(
                "and as what it is", searches, ["u_ItemList": .array([.key(SomeKey(1))]), "class": .text("keys")]),
            ParserRow(
                "and as another class", searches, ["u_ItemList": .array([.key(SomeKey(1))]), "class": genp],
                .noSuchClass),
            ParserRow(
                "two keys in memory", searches, ["u_ItemList": .array([.key(SomeKey(1)), .key(SomeKey(2))])], .param),
            ParserRow(
                "two in two places", searches,
                ["u_ItemList": .array([.key(SomeKey(1))]), "v_Ref": .key(SomeKey(2))], .param),
        ]

    static let fileKeychain: [ParserRow] =
        [
            "m_SearchList", "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString",
            "m_DiacriticInsensitive", "m_WidthInsensitive", "u_Keychain", "acls", "prf", "salt", "rounds",
        ].map { ParserRow("of file keychains: \($0)", everyOperation, ["class": genp, $0: .array([])]) } + [
            ParserRow("ruling 11: data protection", everyOperation, ["class": genp, "nleg": .number(1)]),
            ParserRow("data protection no boolean", everyOperation, ["class": genp, "nleg": .text("1")], .param),
        ]

    @Test func aDictionaryHas128PairsAtMost() {
        let attributes = (0..<129).map { (key: "f_ignored\($0)", value: QueryValue.number(1)) }
        for operation in everyOperation {
            #expect(meaning([("class", Self.genp)] + attributes.prefix(127), operation).status == .success)
            #expect(meaning([("class", Self.genp)] + attributes.prefix(128), operation).status == .param)
        }
        let pairs = Array(repeating: (key: "acct", value: QueryValue.text("a")), count: 129)
        #expect(throws: KeychainError(.param, "")) { try QueryParser.change(pairs, of: .genericPassword) }
    }

    @Test func theOrderOfPairsDoesNotMatter() throws {
        let pairs: [(key: String, value: QueryValue)] = [
            ("u_AuthUI", .text("u_AuthUIA")), ("class", Self.genp), ("u_NoAuthUI", .number(1)), ("acct", .text("a")),
        ]
        #expect(try QueryParser.query(pairs, for: .find).authenticationUI == .fail)
        #expect(try QueryParser.query(pairs.reversed(), for: .find).authenticationUI == .fail)
        let skipping = try parse(
            ["u_AuthUI": .text("u_AuthUIS"), "class": Self.genp, "u_NoAuthUI": .number(1)], .find)
        #expect(skipping.authenticationUI == .skip)
    }

    @Test func meaningOfTheKeys() throws {
        let query = try parse(
            [
                "class": Self.inet, "r_Data": .number(1), "r_PersistentRef": .number(1), "r_Ref": .number(0),
                "m_Limit": .number(4), "m_HostOrSubdomainOfHost": .text("a.org"), "agrp": .text("g"),
                "pdmn": .text("cku"), "m_CaseInsensitive": .number(1),
                "sync": .text("syna"), "acct": .text("a"),
            ], .find)
        #expect(query.itemClass == .internetPassword)
        #expect(query.returns == [.data, .persistentReference])
        #expect(query.limit == .count(4))
        #expect(query.host == "a.org")
        #expect(query.ignoresCase)
        #expect(query.accessGroup == "g")
        #expect(query.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(query.synchronizable == .any)
        #expect(query.attributes.entries.map(\.key) == [.account])
        #expect(query.identifier == nil && query.leavesTombstone == nil)

        let bare = try parse(["class": Self.genp], .find)
        #expect(bare.limit == .one && bare.returns.isEmpty && bare.authenticationUI == .allow)
        #expect(bare.synchronizable == .local, "absent means not synchronizable")
        #expect(!bare.ignoresCase)
        #expect(try !parse(["class": Self.genp, "m_CaseInsensitive": .number(0)], .find).ignoresCase)
        for operation in [SearchOperation.update, .delete] {
            #expect(try !parse(["class": Self.genp, "m_CaseInsensitive": .number(1)], operation).ignoresCase)
        }
        #expect(try parse(["class": Self.genp, "m_Limit": .text("m_LimitAll")], .find).limit == .all)
        #expect(try parse(["class": Self.genp, "m_Limit": .number(1)], .find).limit == .one)
        #expect(try parse(["class": Self.genp, "m_Limit": .number(-7)], .find).limit == .all)

        let one = try parse(["v_PersistentRef": Self.reference], .delete)
        #expect(one.identifier?.bytes == Array(repeating: 7, count: 16))
        #expect(one.synchronizable == .any, "references work for both kinds")

        let set = try parse(
            ["class": Self.genp, "r_Data": .number(1), "m_Limit": .text("m_LimitAll"), "v_Data": .data([1])], .update)
        #expect(set.returns.isEmpty && set.limit == .one, "ruling 3")
        #expect(try parse(["class": Self.genp, "u_Tomb": .number(0)], .delete).leavesTombstone == false)
    }

    @Test func meaningOfObjectsInLists() throws {
        let certificates = try parse(["u_ItemList": .array([Self.certificate])], .find)
        #expect(certificates.itemClass == .certificate && certificates.certificates == [[0x30, 1]])
        let identities = try parse(["u_ItemList": .array([Self.identity])], .find)
        #expect(identities.itemClass == .identity && identities.certificates == [[0x30, 2]])
        for key in ["u_ItemList", "m_ItemList"] {
            let keys = try parse(["class": .text("keys"), key: .array([.key(SomeKey(7))])], .find)
            #expect(keys.attributes[.applicationLabel] == .data([7]) && keys.items == nil && keys.certificates == nil)
        }
    }

    @Test func meaningOfReferences() throws {
        let (seven, eight) = (ItemIdentifier(Bytes16(repeating: 7)), ItemIdentifier(Bytes16(repeating: 8)))
        let one = try parse(["v_Ref": Self.item, "acct": .text("a")], .find)
        #expect(one.items == [seven] && one.identifier == nil && one.itemClass == .genericPassword)
        #expect(one.attributes[.account] == .text("a") && one.synchronizable == .any)
        #expect(try parse(["v_Ref": Self.item, "sync": .number(0)], .find).synchronizable == .local)

        let list = try parse(["class": Self.inet, "m_ItemList": .array([Self.other, Self.item, Self.other])], .delete)
        #expect(list.items == [eight], "once each, and of the class")
        #expect(
            try parse(["class": Self.genp, "m_ItemList": .array([])], .find).items == [], "nothing, not everything")
        let both: KeyValuePairs<String, QueryValue> = [
            "class": Self.genp, "m_ItemList": .array([Self.item]), "u_ItemList": .array([Self.other]),
        ]
        #expect(try parse(both, .update).items == [])
        let member = try parse(["v_PersistentRef": Self.reference, "m_ItemList": .array([Self.item])], .find)
        #expect(member.identifier == seven && member.items == nil)
        let stranger = try parse(["v_PersistentRef": Self.reference, "m_ItemList": .array([])], .find)
        #expect(stranger.identifier == nil && stranger.items == [])
        let added = try parseNew(["v_PersistentRef": Self.reference, "acct": .text("a")])
        #expect(added.itemClass == .genericPassword)
    }

    /// A dictionary that was returned before a change still finds its item.
    @Test func theModificationDateIsSetAside() throws {
        for operation in everyOperation {
            let pairs: [(key: String, value: QueryValue)] = [
                ("class", Self.genp), ("mdat", .date(5)), ("cdat", .date(4)),
            ]
            let made = try meaning(pairs, operation).get()
            #expect(made.attributes.entries.map(\.key) == [.creationDate])
            #expect(meaning([("class", Self.genp), ("mdat", .number(5))], operation).status == .param)
        }
        #expect(try change(["mdat": .date(5)]).attributes[.modificationDate] == .date(5))
    }
}

/// A program's authentication context.
private final class SomeContext: QueryContext {}

/// A public key in memory whose label is one byte.
private final class SomeKey: GivenKey {
    private let label: UInt8

    init(_ label: UInt8) { self.label = label }

    var item: PersistentReference? { nil }
    var keychainItem: KeychainItemHandle? { nil }
    var kind: KeyKind? { .ec }

    func ownAttributes() throws(KeychainError) -> KeyAttributes {
        KeyAttributes(kind: .ec, isPrivate: false, bits: 256, label: [label], isExtractable: true)
    }

    func ownRepresentation() throws(KeychainError) -> SecretBytes { SecretBytes([label]) }
}
