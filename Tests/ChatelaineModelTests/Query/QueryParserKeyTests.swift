import ChatelaineMemory
import ChatelaineModel
import Testing

/// Behaviour A.2 (keys and their values), A.4 to A.8 and A.10 as far as a dictionary alone decides them.
struct QueryParserKeyTests {
    static let reference = QueryValue.data(Array("genp".utf8) + Array(repeating: 7, count: 16))
    static let genp = QueryValue.text("genp")
    static let inet = QueryValue.text("inet")

    @Test(arguments: classes + spelling + returns + matches + uses + values + fileKeychain)
    func row(_ row: ParserRow) {
        for operation in row.operations {
            let result = parse(row.pairs, operation)
            #expect(result.status == row.status, "\(row) in \(operation): \(result)")
            if case .success(let query) = result {
                #expect(throws: Never.self, "the daemon refuses what the parser made of: \(row)") {
                    try query.validate(for: operation)
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
            "reference of another class", searches, ["v_PersistentRef": reference, "class": inet], .itemNotFound),
        ParserRow("A.4 reference in an addition", [.add], ["class": genp, "v_PersistentRef": reference], .param),
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
        ParserRow("A.7, A.8 unknown match key", [.update, .delete], ["class": genp, "m_Foo": .other], .param),
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
                "m_CaseInsensitive": .number(1), "m_Policy": .other, "m_Issuers": .array, "m_TrustedOnly": .number(1),
                "m_EmailAddressIfPresent": .text("a"), "m_SubjectContains": .text("a"), "m_ValidOnDate": .date(0),
            ]),
    ]

    static let matches: [ParserRow] = [
        ParserRow("limit one", [.add, .find], ["class": genp, "m_Limit": .text("m_LimitOne")]),
        ParserRow("limit a number", [.find], ["class": genp, "m_Limit": .number(3)]),
        ParserRow("limit beyond reason", [.find], ["class": genp, "m_Limit": .number(.max)]),
        ParserRow("limit zero", [.find], ["class": genp, "m_Limit": .number(0)], .param),
        ParserRow("limit negative", [.find], ["class": genp, "m_Limit": .number(-1)], .param),
        ParserRow("limit another string", [.find], ["class": genp, "m_Limit": .text("all")], .param),
        ParserRow("limit a fraction", [.find], ["class": genp, "m_Limit": .real(1.5)], .param),
        ParserRow("limit data", [.find], ["class": genp, "m_Limit": .data([1])], .param),
        ParserRow("policy no policy", [.find], ["class": .text("cert"), "m_Policy": .text("ssl")], .param),
        ParserRow("A.5 policy of passwords", [.find], ["class": genp, "m_Policy": .other], .unimplemented),
        ParserRow("A.5 issuers of passwords", [.find], ["class": inet, "m_Issuers": .array], .unimplemented),
        ParserRow("issuers of certificates", [.find], ["class": .text("cert"), "m_Issuers": .array]),
        ParserRow("issuers of identities", [.find], ["class": .text("idnt"), "m_Issuers": .array]),
        ParserRow("issuers no array", [.find], ["class": .text("cert"), "m_Issuers": .data([1])], .param),
        ParserRow("trusted only no boolean", [.find], ["class": genp, "m_TrustedOnly": .text("yes")], .param),
        ParserRow("A.5 trusted only has no effect", [.find], ["class": genp, "m_TrustedOnly": .number(1)]),
        ParserRow("valid on date: null means now", [.find], ["class": genp, "m_ValidOnDate": .null]),
        ParserRow("valid on a number", [.find], ["class": genp, "m_ValidOnDate": .number(0)], .param),
        ParserRow("e-mail no string", [.find], ["class": genp, "m_EmailAddressIfPresent": .number(0)], .param),
        ParserRow("A.5 e-mail has no effect", [.find], ["class": genp, "m_EmailAddressIfPresent": .text("a@b")]),
        ParserRow("A.5 host", [.find], ["class": inet, "m_HostOrSubdomainOfHost": .text("a.org")]),
        ParserRow("host no string", [.find], ["class": inet, "m_HostOrSubdomainOfHost": .number(1)], .param),
        ParserRow(
            "A.5 host of others", [.find], ["class": genp, "m_HostOrSubdomainOfHost": .text("a")], .unimplemented),
        ParserRow(
            "host outside a search", [.add, .update, .delete], ["class": inet, "m_HostOrSubdomainOfHost": .text("a")],
            .param),
        ParserRow("ruling 2: case-insensitive", [.find], ["class": genp, "m_CaseInsensitive": .number(1)]),
        ParserRow("A.5 subject", [.find], ["class": genp, "m_SubjectContains": .text("a")]),
    ]

    static let uses: [ParserRow] = [
        ParserRow("UI no string", everyOperation, ["class": genp, "u_AuthUI": .number(1)], .param),
        ParserRow("UI another string", everyOperation, ["class": genp, "u_AuthUI": .text("maybe")], .param),
        ParserRow("UI allowed, forbidden", everyOperation, ["class": genp, "u_AuthUI": .text("u_AuthUIA")]),
        ParserRow("UI forbidden", everyOperation, ["class": genp, "u_AuthUI": .text("u_AuthUIF")]),
        ParserRow("A.10 skip", [.find], ["class": genp, "u_AuthUI": .text("u_AuthUIS")]),
        ParserRow(
            "A.10 skip elsewhere", [.add, .update, .delete], ["class": genp, "u_AuthUI": .text("u_AuthUIS")], .param),
        ParserRow("old key no boolean", everyOperation, ["class": genp, "u_NoAuthUI": .text("yes")], .param),
        ParserRow("prompt", everyOperation, ["class": genp, "u_OpPrompt": .text("please")]),
        ParserRow("prompt no string", everyOperation, ["class": genp, "u_OpPrompt": .number(1)], .param),
        ParserRow("context before its feature", everyOperation, ["class": genp, "u_AuthCtx": .other], .unimplemented),
        ParserRow(
            "A.2 credential reference no data", everyOperation, ["class": genp, "u_CredRef": .text("a")], .param),
        ParserRow(
            "A.4 system keychain", everyOperation, ["class": genp, "u_UserIndependentKeychain": .number(1)],
            .missingEntitlement),
        ParserRow("no system keychain", everyOperation, ["class": genp, "u_UserIndependentKeychain": .number(0)]),
        ParserRow("A.8 tombstones", [.delete], ["class": genp, "u_Tomb": .number(1)]),
        ParserRow("tombstones no boolean", [.delete], ["class": genp, "u_Tomb": .text("a")], .param),
    ]

    static let values: [ParserRow] = [
        ParserRow("ruling 7: a string to add", [.add], ["class": genp, "v_Data": .text("pässword")]),
        ParserRow("ruling 7: a number", [.add, .find], ["class": genp, "v_Data": .number(5)], .param),
        ParserRow("a string to find", [.find], ["class": genp, "v_Data": .text("a")], .param),
        ParserRow("data", [.add, .find], ["class": genp, "v_Data": .data([1])]),
        ParserRow("A.4 empty data", [.add], ["class": genp, "v_Data": .data([])]),
        ParserRow("a value reference", everyOperation, ["class": genp, "v_Ref": .other], .param),
        ParserRow("a value reference alone", everyOperation, ["v_Ref": .other], .param),
        ParserRow("reference no data", searches, ["v_PersistentRef": .text("genp")], .param),
        ParserRow("reference too short", searches, ["v_PersistentRef": .data(Array("genp".utf8))], .param),
        ParserRow(
            "reference of no class", searches, ["v_PersistentRef": .data(Array(repeating: 65, count: 20))], .param),
        ParserRow("A.6 with an attribute", searches, ["v_PersistentRef": reference, "acct": .text("a")], .param),
        ParserRow("A.6 with a group", searches, ["v_PersistentRef": reference, "agrp": .text("a")], .param),
        ParserRow(
            "A.6 with a protection class", searches, ["v_PersistentRef": reference, "pdmn": .text("ak")], .param),
        ParserRow(
            "A.6 with an access control", searches,
            ["v_PersistentRef": reference, "accc": .accessControl(AccessControl(protection: .always))], .param),
        ParserRow(
            "A.6 with return, use and class", searches,
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

    static let fileKeychain: [ParserRow] =
        [
            "m_ItemList", "m_SearchList", "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString",
            "m_DiacriticInsensitive", "m_WidthInsensitive", "u_ItemList", "u_Keychain", "acls", "prf", "salt", "rounds",
        ].map { ParserRow("ruling 4: \($0)", everyOperation, ["class": genp, $0: .array], .unimplemented) } + [
            ParserRow("ruling 4: file keychain", everyOperation, ["class": genp, "nleg": .number(0)], .unimplemented),
            ParserRow("ruling 11: data protection", everyOperation, ["class": genp, "nleg": .number(1)]),
            ParserRow("data protection no boolean", everyOperation, ["class": genp, "nleg": .text("1")], .param),
        ]

    @Test func aDictionaryHas128PairsAtMost() {
        let attributes = (0..<129).map { (key: "f_ignored\($0)", value: QueryValue.number(1)) }
        for operation in everyOperation {
            #expect(parse([("class", Self.genp)] + attributes.prefix(127), operation).status == .success)
            #expect(parse([("class", Self.genp)] + attributes.prefix(128), operation).status == .param)
        }
        let pairs = Array(repeating: (key: "acct", value: QueryValue.text("a")), count: 129)
        #expect(throws: KeychainError(.param, "")) { try QueryParser.change(pairs, of: .genericPassword) }
    }

    @Test func theOrderOfPairsDoesNotMatter() throws {
        let pairs: [(key: String, value: QueryValue)] = [
            ("u_AuthUI", .text("u_AuthUIA")), ("class", Self.genp), ("u_NoAuthUI", .number(1)), ("acct", .text("a")),
        ]
        #expect(try parse(pairs, .find).get().authenticationUI == .fail)
        #expect(try parse(pairs.reversed(), .find).get().authenticationUI == .fail)
        let skipping = try parse(
            ["u_AuthUI": .text("u_AuthUIS"), "class": Self.genp, "u_NoAuthUI": .number(1)], .find)
        #expect(skipping.authenticationUI == .skip)
    }

    @Test func meaningOfTheKeys() throws {
        let query = try parse(
            [
                "class": Self.inet, "r_Data": .number(1), "r_PersistentRef": .number(1), "r_Ref": .number(0),
                "m_Limit": .number(4), "m_HostOrSubdomainOfHost": .text("a.org"), "agrp": .text("g"),
                "pdmn": .text("cku"),
                "sync": .text("syna"), "acct": .text("a"),
            ], .find)
        #expect(query.itemClass == .internetPassword)
        #expect(query.returns == [.data, .persistentReference])
        #expect(query.limit == .count(4))
        #expect(query.host == "a.org")
        #expect(query.accessGroup == "g")
        #expect(query.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(query.synchronizable == .any)
        #expect(query.attributes.entries.map(\.key) == [.account])
        #expect(query.secret == nil && query.identifier == nil && query.leavesTombstone == nil)

        let bare = try parse(["class": Self.genp], .find)
        #expect(bare.limit == .one && bare.returns.isEmpty && bare.authenticationUI == .allow)
        #expect(bare.synchronizable == .local, "A.5: absent means not synchronizable")
        #expect(try parse(["class": Self.genp, "m_Limit": .text("m_LimitAll")], .find).limit == .all)
        #expect(try parse(["class": Self.genp, "m_Limit": .number(1)], .find).limit == .one)

        let one = try parse(["v_PersistentRef": Self.reference], .delete)
        #expect(one.identifier?.bytes == Array(repeating: 7, count: 16))
        #expect(one.synchronizable == .any, "A.11: references work for both kinds")

        let set = try parse(
            ["class": Self.genp, "r_Data": .number(1), "m_Limit": .text("m_LimitAll"), "v_Data": .data([1])], .update)
        #expect(set.returns.isEmpty && set.limit == .one && set.secret == nil, "ruling 3")
        #expect(try parse(["class": Self.genp, "u_Tomb": .number(0)], .delete).leavesTombstone == false)
    }

    @Test func secretsAreTakenWhole() throws {
        #expect(try parse(["class": Self.genp, "v_Data": .text("pä")], .add).secret == SecretBytes(Array("pä".utf8)))
        #expect(try parse(["class": Self.genp], .add).secret == nil)
        #expect(try parse(["class": Self.genp, "v_Data": .secret(SecretBytes([5]))], .add).secret == SecretBytes([5]))
        #expect(try parse(["class": Self.genp, "v_Data": .data([5])], .find).secret == nil)
        let largest = SecretBytes(count: Limits.secretBytes) { _ in }
        let tooLarge = SecretBytes(count: Limits.secretBytes + 1) { _ in }
        #expect(try parse(["class": Self.genp, "v_Data": .secret(largest)], .add).secret?.count == Limits.secretBytes)
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parse(["class": Self.genp, "v_Data": .secret(tooLarge)], .add)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try change(["v_Data": .secret(tooLarge)]) }
    }

    @Test func attributesHaveALimitTogether() throws {
        let half = QueryValue.text(String(repeating: "x", count: Limits.attributeBytes / 2))
        #expect(throws: Never.self) { try parse(["class": Self.genp, "acct": half], .add) }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parse(["class": Self.genp, "acct": half, "svce": half], .add)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parse(["class": Self.genp, "acct": half, "agrp": half], .find)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try change(["acct": half, "svce": half]) }
    }
}
