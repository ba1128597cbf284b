import ChatelaineMemory
import Glibc
import Testing

@testable import ChatelaineModel

/// Tests of which keychain a call is about, by the rows of A.1.
///
/// The exception: a dictionary that names none means the data protection keychain (behaviour/dictionaries.md, 25 and
/// 26).
struct QueryTargetTests {
    typealias Pair = (key: String, value: QueryValue)

    static let keychain = StoreIdentifier(Bytes16(repeating: 1))
    static let reference = KeychainItemReference(
        keychain: keychain,
        item: PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier(Bytes16(repeating: 7))))
    static let ofFile = QueryValue.keychainItem(KeychainItemHandle(reference, at: "/k/a-db"))
    static let genp: Pair = ("class", .text("genp"))

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let pairs: [Pair]
        /// Whether the target is a file keychain; nil for `errSecParam`.
        let isOfFiles: Bool?
        var testDescription: String { name }

        init(_ name: String, _ pairs: [Pair], isOfFiles: Bool?) {
            (self.name, self.pairs, self.isOfFiles) = (name, pairs, isOfFiles)
        }
    }

    @Test(arguments: [
        Row("nothing special", [genp], isOfFiles: false),
        Row("kSecUseDataProtectionKeychain true", [genp, ("nleg", .number(1))], isOfFiles: false),
        Row("the same key false", [genp, ("nleg", .number(0))], isOfFiles: true),
        Row("no later row is looked at", [("u_Keychain", .keychain("/a")), ("nleg", .number(1))], isOfFiles: false),
        Row("nor here", [("nleg", .number(0)), ("sync", .number(1))], isOfFiles: true),
        Row("kSecAttrSynchronizable true", [genp, ("sync", .number(1))], isOfFiles: false),
        Row("kSecAttrAccessControl", [genp, ("accc", .other)], isOfFiles: false),
        Row("kSecAttrTokenID", [genp, ("tkid", .text("t"))], isOfFiles: false),
        Row(
            "kSecValuePersistentRef in DP format", [("v_PersistentRef", QueryParserKeyTests.reference)],
            isOfFiles: false),
        Row("in FK format", [("v_PersistentRef", .data(reference.bytes))], isOfFiles: true),
        Row("kSecValueRef of an FK item", [("v_Ref", ofFile)], isOfFiles: true),
        Row("kSecMatchItemList", [genp, ("m_ItemList", .array([ofFile]))], isOfFiles: true),
        Row("kSecUseItemList", [("u_ItemList", .array([.data(reference.bytes)]))], isOfFiles: true),
        Row("kSecMatchSearchList", [genp, ("m_SearchList", .array([.keychain("/a")]))], isOfFiles: true),
        Row("kSecUseKeychain", [genp, ("u_Keychain", .keychain("/a"))], isOfFiles: true),
        Row("kSecAttrAccess", [genp, ("acls", .access(.open))], isOfFiles: true),
        Row("kSecMatchSubjectStartsWith", [genp, ("m_SubjectStartsWith", .text("a"))], isOfFiles: true),
        Row("kSecAttrPRF", [genp, ("prf", .text("a"))], isOfFiles: true),
        Row("contradictory combination", [("u_Keychain", .keychain("/a")), ("sync", .number(1))], isOfFiles: nil),
        Row("references of both kinds", [("m_ItemList", .array([ofFile, QueryParserKeyTests.item]))], isOfFiles: nil),
    ])
    func row(_ row: Row) throws {
        guard let isOfFiles = row.isOfFiles else {
            #expect(throws: KeychainError(.param, "")) { try QueryTarget(of: row.pairs) }
            return
        }
        switch try QueryTarget(of: row.pairs) {
        case .files: #expect(isOfFiles)
        case .dataProtection: #expect(!isOfFiles)
        }
    }

    // MARK: What a dictionary of file keychains says

    @Test func theFrontEndTakesOutWhatIsOfTheOtherKeychain() throws {
        let (terms, query) = try FileKeychainTerms.query(
            [
                Self.genp, ("nleg", .number(0)), ("pdmn", .text("ak")), ("agrp", .text("g")), ("sync", .text("syna")),
                ("acct", .text("ada")), ("m_DiacriticInsensitive", .number(1)),
            ], for: .find)
        #expect(query.accessGroup == nil && query.accessibility == nil && query.synchronizable == .local)
        #expect(query.attributes[.account] == .text("ada") && terms.scope == KeychainScope())
        #expect(query.returns == .reference, "without any kSecReturn key the reference is returned")
    }

    @Test func keychainsAreWhereItemsAreLookedFor() throws {
        func scope(_ pairs: [Pair]) throws -> KeychainScope {
            try FileKeychainTerms.query([Self.genp] + pairs, for: .find).terms.scope
        }
        #expect(try scope([("u_Keychain", .keychain("/a"))]).paths == ["/a"])
        let list = QueryValue.array([.keychain("/b"), .keychain("/c"), .keychain("/b")])
        #expect(try scope([("m_SearchList", list), ("u_Keychain", .keychain("/a"))]).paths == ["/b", "/c"])
        for wrong in [("u_Keychain", QueryValue.text("/a")), ("m_SearchList", .array([.text("/a")])), ("acls", .other)]
        {
            #expect(throws: KeychainError(.param, ""), "\(wrong.0)") { try scope([wrong]) }
        }
        let many = QueryValue.array(Array(repeating: .keychain("/a"), count: KeychainPreferences.maximumKeychains + 1))
        #expect(throws: KeychainError(.param, "")) { try scope([("m_SearchList", many)]) }
    }

    /// A program that has filtered its keychains, and has none left, must not change all of them.
    @Test func aListWithoutKeychainsNamesNoItem() throws {
        for more in [[], [("u_Keychain", QueryValue.keychain("/a"))], [("m_ItemList", .array([Self.ofFile]))]] {
            let pairs: [Pair] = [Self.genp, ("m_SearchList", .array([]))] + more
            let scope = try FileKeychainTerms.query(pairs, for: .delete).terms.scope
            #expect(scope.items?.isEmpty == true)
        }
    }

    /// Apple's front end sets them aside, and a program would believe that it has moved an item.
    @Test(arguments: [
        "u_Keychain", "m_SearchList", "m_ItemList", "u_ItemList", "v_Ref", "v_PersistentRef", "m_SubjectContains",
        "m_SubjectStartsWith", "m_WidthInsensitive",
    ])
    func whatSaysWhereToSearchIsNoChange(_ key: String) {
        #expect(throws: KeychainError(.noSuchAttribute, "")) {
            try FileKeychainTerms.change([("labl", .text("x")), (key, .keychain("/a"))], of: .genericPassword)
        }
    }

    @Test func nullAsTheDateMeansNow() throws {
        let (_, query) = try FileKeychainTerms.query(
            [("class", .text("cert")), ("m_ValidOnDate", .null), ("u_Keychain", .keychain("/a"))], for: .find)
        #expect(query.certificateTerms.validDate.map { abs($0 - Double(time(nil))) < 60 } == true)
        #expect(throws: KeychainError(.param, "")) {
            try FileKeychainTerms.query([("class", .text("cert")), ("m_Limit", .null)], for: .find)
        }
    }

    /// A new item without any attribute would stand where the program believes to have a copy.
    @Test func anItemIsNotAddedByItsReference() throws {
        for more in [[], [("u_Keychain", QueryValue.keychain("/a"))], [Self.genp]] {
            #expect(throws: KeychainError(.param, "")) {
                try FileKeychainTerms.newItem([("v_Ref", Self.ofFile)] + more)
            }
        }
    }

    @Test func referencesImplyClassAndKeychain() throws {
        let (terms, query) = try FileKeychainTerms.query([("v_Ref", Self.ofFile)], for: .delete)
        #expect(query.itemClass == .genericPassword)
        #expect(terms.scope == KeychainScope(paths: ["/k/a-db"], items: [Self.reference]))
        let stored = try FileKeychainTerms.query([("v_PersistentRef", .data(Self.reference.bytes))], for: .find).terms
        #expect(stored.scope == KeychainScope(items: [Self.reference]))
        #expect(throws: KeychainError(.noSuchClass, "")) {
            try FileKeychainTerms.query(
                [
                    ("v_Ref", Self.ofFile),
                    (
                        "v_PersistentRef",
                        .data(
                            KeychainItemReference(
                                keychain: Self.keychain,
                                item: PersistentReference(itemClass: .internetPassword, identifier: ItemIdentifier())
                            ).bytes)
                    ),
                ], for: .find)
        }
        #expect(throws: KeychainError(.param, "")) {
            try FileKeychainTerms.query(
                [Self.genp, ("nleg", .number(0)), ("v_Ref", QueryParserKeyTests.item)], for: .find)
        }
    }

    @Test func anItemBringsItsKeychainAndItsAccessObject() throws {
        let (terms, item) = try FileKeychainTerms.newItem(
            [
                Self.genp, ("u_Keychain", .keychain("/a")), ("acls", .access(.open)), ("v_Data", .text("secret")),
                ("v_PersistentRef", .data(Self.reference.bytes)),
            ])
        #expect(terms.keychain == "/a" && item.access == .open && item.secret?.count == 6)
        let (change, access) = try FileKeychainTerms.change(
            [("acls", .access(.open)), ("v_Data", .text("new"))], of: .genericPassword)
        #expect(access == .open && change.secret?.count == 3)
        #expect(throws: KeychainError(.unimplemented, "")) {
            try FileKeychainTerms.newItem([Self.genp, ("salt", .data([1])), ("nleg", .number(0))])
        }
    }

    @Test func aReferenceHasOneForm() {
        let bytes = Self.reference.bytes
        #expect(bytes.count == KeychainItemReference.byteCount && KeychainItemReference(bytes) == Self.reference)
        for wrong in [Array(bytes.dropLast()), bytes + [0], [2] + bytes.dropFirst(), [], Self.reference.item.bytes] {
            #expect(KeychainItemReference(wrong) == nil)
        }
        #expect(PersistentReference(bytes) == nil)
    }
}
