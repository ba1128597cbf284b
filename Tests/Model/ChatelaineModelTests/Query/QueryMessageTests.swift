import ChatelaineMemory
import ChatelaineModel
import TestSupport
import Testing

/// Tests of the encodings of queries, changes and found items, and of the daemon's checks of their content.
struct QueryMessageTests {
    static func query(from bytes: [UInt8]) throws -> ItemQuery {
        try bytes.withUnsafeBytes { input in
            var reader = CBORReader(input)
            let query = try ItemQuery(from: &reader)
            try reader.finish()
            return query
        }
    }

    @Test func everyFieldComesBack() throws {
        let full = Samples.query
        let read = try Self.query(from: full.encoding)
        #expect(read.encoding == full.encoding)
        #expect(read.itemClass == full.itemClass && read.attributes == full.attributes)
        #expect(read.accessGroup == full.accessGroup && read.synchronizable == full.synchronizable)
        #expect(read.accessibility == full.accessibility)
        #expect(read.identifier == full.identifier && read.host == full.host && read.limit == full.limit)
        #expect(read.returns == full.returns && read.authenticationUI == full.authenticationUI)
        #expect(read.leavesTombstone == full.leavesTombstone && read.items == full.items)
        #expect(read.ignoresCase == full.ignoresCase)
        for scope in [.any, .unconstrained, .exactly(Samples.constraints)] as [ConstraintScope] {
            var named = full
            named.constraints = scope
            #expect(try Self.query(from: named.encoding).constraints == scope)
        }
        for itemClass in ItemClass.allCases {
            for limit in [MatchLimit.one, .all, .count(2), .count(.max)] {
                var bare = ItemQuery(itemClass: itemClass)
                bare.limit = limit
                let read = try Self.query(from: bare.encoding)
                #expect(read.encoding == bare.encoding && read.limit == limit && read.itemClass == itemClass)
                #expect(read.accessGroup == nil && read.leavesTombstone == nil && !read.ignoresCase)
            }
        }
    }

    @Test func caseIsAFieldOfItsOwn() throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("A")
        query.ignoresCase = true
        #expect(query.encoding == bytes("a7 0001 01a1 1a61636374 6141 0300 0801 0900 0a00 10f5"))
    }

    @Test func newItemsComeBack() throws {
        for item in [Samples.newItem, NewItem(itemClass: .certificate)] {
            let read = try item.encoding.withUnsafeBytes { input in
                var reader = CBORReader(input)
                return try NewItem(from: &reader)
            }
            #expect(read.encoding == item.encoding && read.itemClass == item.itemClass)
            #expect(read.isSynchronizable == item.isSynchronizable && read.secret == item.secret)
            #expect(read.accessGroup == item.accessGroup && read.accessibility == item.accessibility)
            #expect(read.returns == item.returns && read.authenticationUI == item.authenticationUI)
            #expect(read.constraints == item.constraints)
        }
    }

    @Test(arguments: [
        ("a0", "no class"), ("a20001 0302", "scope"), ("a20001 0640", "identifier"), ("a20001 0801", "limit"),
        ("a20001 0f00", "unknown field"), ("a20001 0910", "return type"), ("a2 0101 0001", "fields out of order"),
        ("a20001 0d00", "constraints"), ("a20001 0d a1 01 a1 07 81 01", "unknown operation"),
        ("a20001 0ef5", "only in queries"),
    ])
    func brokenNewItem(_ digits: String, _ what: String) {
        #expect(throws: CBORError.self, "\(what)") {
            try bytes(digits).withUnsafeBytes { input in
                var reader = CBORReader(input)
                let item = try NewItem(from: &reader)
                try reader.finish()
                return item.itemClass
            }
        }
    }

    @Test func changesAndItemsComeBack() throws {
        for change in [Samples.change, ItemChange()] {
            let read = try change.encoding.withUnsafeBytes { input in
                var reader = CBORReader(input)
                return try ItemChange(from: &reader)
            }
            #expect(read.encoding == change.encoding)
            #expect(read.isSynchronizable == change.isSynchronizable && read.secret == change.secret)
            #expect(read.accessibility == change.accessibility && read.constraints == change.constraints)
        }
        var bare = Samples.found
        bare.encodedAttributes = nil
        bare.secret = nil
        for item in [Samples.found, bare] {
            let read = try item.encoding.withUnsafeBytes { input in
                var reader = CBORReader(input)
                return try FoundItem(from: &reader)
            }
            #expect(read.encoding == item.encoding)
            #expect(read.attributes == item.attributes && read.secret == item.secret)
            #expect(read.accessControl == item.accessControl)
        }
    }

    @Test(arguments: [
        ("a0", "no class"), ("a10000", "class 0"), ("a10006", "class 6"), ("a20001 0f00", "unknown field"),
        ("a20001 0d00", "constraints"), ("a20001 0ef4", "not unconstrained"), ("a20001 10f4", "case counts"),
        ("a30001 0d a2 01 a0 02 81 01 0ef5", "constrained and unconstrained"),
        ("a20001 0303", "scope"), ("a20001 0408", "protection class"), ("a20001 0820", "negative limit"),
        ("a20001 0910", "return type"), ("a20001 0a03", "authentication"), ("a20001 064100", "short identifier"),
        ("a20001 0001", "field twice"), ("a2 0101 0001", "fields out of order"), ("a2 0001 0200", "group no text"),
        ("a2 0001 0c8141 00", "short item"), ("a2 0001 0c00", "items no array"), ("a2 0001 0c994001", "too many items"),
        ("a2 0001 01a1 1a00000000 00", "attribute key not shortest"),
        ("a2 0001 01 a1 1b0000000100000000 00", "key too long"),
        ("a2 0001 01 a1 1a61636374 80", "attribute an array"), ("a2 0001 01 a1 1a61636374 f5", "attribute a boolean"),
    ])
    func brokenQuery(_ digits: String, _ what: String) {
        #expect(throws: CBORError.self, "\(what)") { try Self.query(from: bytes(digits)) }
    }

    struct Rule: Sendable {
        let name: String
        let operations: [SearchOperation]
        let status: Status
        let damage: @Sendable (inout ItemQuery) -> Void

        init(
            _ name: String, _ operations: [SearchOperation], _ status: Status,
            _ damage: @escaping @Sendable (inout ItemQuery) -> Void
        ) {
            (self.name, self.operations, self.status, self.damage) = (name, operations, status, damage)
        }
    }

    private static let searches: [SearchOperation] = [.find, .update, .delete]

    static let rules: [Rule] = [
        Rule("nothing", searches, .success) { _ in },
        Rule("host outside a search", [.update, .delete], .param) { $0.host = "a" },
        Rule("case outside a search", [.update, .delete], .param) { $0.ignoresCase = true },
        Rule("host of others", searches, .unimplemented) {
            $0.itemClass = .genericPassword
            $0.host = "a"
        },
        Rule("skip outside a search", [.update, .delete], .param) { $0.authenticationUI = .skip },
        Rule("identifier with an attribute", searches, .param) {
            $0.identifier = Samples.identifier
            $0.attributes[.account] = .text("a")
        },
        Rule("identifier with a group", searches, .param) {
            $0.identifier = Samples.identifier
            $0.accessGroup = "a"
        },
        Rule("identifier with a protection class", searches, .param) {
            $0.identifier = Samples.identifier
            $0.accessibility = .always
        },
        Rule("ruling 18", searches, .success) {
            $0.synchronizable = .synchronizable
            $0.accessibility = .whenUnlockedThisDeviceOnly
        },
        Rule("items", searches, .success) { $0.items = [Samples.identifier] },
        Rule("no items", searches, .success) { $0.items = [] },
        Rule("items beside an identifier", searches, .param) {
            $0.items = []
            $0.identifier = Samples.identifier
        },
        Rule("too many items", searches, .param) {
            $0.items = Array(repeating: Samples.identifier, count: Limits.listedItems + 1)
        },
    ]

    @Test(arguments: rules.indices)
    func validation(_ index: Int) {
        let rule = Self.rules[index]
        for operation in rule.operations {
            var query = ItemQuery(itemClass: .internetPassword)
            rule.damage(&query)
            let result = Result { () throws(KeychainError) in try query.validate(for: operation) }
            #expect(result.status == rule.status, "\(rule.name) in \(operation)")
        }
    }

    /// Rules for attributes, which hold in every message.
    static let attributeRules: [(name: String, status: Status, key: AttributeKey, value: AttributeValue)] = [
        ("attribute of another class", .noSuchAttribute, .service, .text("a")),
        ("attribute of the daemon", .param, .tombstone, .number(1)),
        ("group beside its field", .param, .accessGroup, .text("a")),
        ("class beside its field", .param, .accessible, .text("ak")),
        ("scope beside its field", .param, .synchronizable, .number(1)),
        ("ruling 31", .param, .sha1, .data([1])),
        ("date of no number", .param, .creationDate, .date(.nan)),
        ("number for a date", .param, .creationDate, .number(1)),
        ("date for a blob", .param, .account, .date(1)),
        ("data for a number", .param, .port, .data([1])),
        ("ruling 8: decimal string", .param, .port, .text("80")),
        ("ruling 8: another string", .success, .port, .text("http")),
        (
            "attributes too large", .dataTooLarge, .account,
            .data(Array(repeating: 0, count: Limits.attributeBytes))
        ),
    ]

    @Test func validationOfAttributes() {
        for rule in Self.attributeRules {
            var query = ItemQuery(itemClass: .internetPassword)
            query.attributes[rule.key] = rule.value
            for operation in Self.searches {
                let result = Result { () throws(KeychainError) in try query.validate(for: operation) }
                #expect(result.status == rule.status, "\(rule.name) in \(operation)")
            }
            var item = NewItem(itemClass: .internetPassword)
            item.attributes = query.attributes
            let added = Result { () throws(KeychainError) in try item.validate() }
            #expect(added.status == rule.status, "\(rule.name) in a new item")
            var change = ItemChange()
            change.attributes = query.attributes
            let changed = Result { () throws(KeychainError) in try change.validate(for: .internetPassword) }
            #expect(changed.status == rule.status, "\(rule.name) in a change")
        }
    }

    @Test func validationOfNewItems() {
        var item = NewItem(itemClass: .internetPassword)
        item.authenticationUI = .skip
        #expect(throws: KeychainError(.param, "")) { try item.validate() }
        item.authenticationUI = .fail
        item.secret = SecretBytes(count: Limits.secretBytes + 1) { _ in }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try item.validate() }
        item.secret = SecretBytes(count: Limits.secretBytes) { _ in }
        #expect(throws: Never.self) { try item.validate() }
    }

    @Test func validationOfChanges() {
        var change = ItemChange()
        #expect(throws: Never.self) { try change.validate(for: .genericPassword) }
        change.attributes[.server] = .text("a")
        #expect(throws: KeychainError(.noSuchAttribute, "")) { try change.validate(for: .genericPassword) }
        #expect(throws: Never.self) { try change.validate(for: .internetPassword) }
        change = ItemChange()
        change.secret = SecretBytes(count: Limits.secretBytes + 1) { _ in }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try change.validate(for: .genericPassword) }
    }

    @Test func whatTheParserAcceptsTheDaemonAccepts() {
        var generator = SeededGenerator()
        let names =
            AttributeSchema.of(.internetPassword).columns.map(\.key.name)
            + [
                "class", "nleg", "v_Data", "v_PersistentRef", "persistref", "m_Limit", "m_HostOrSubdomainOfHost",
                "r_Data",
            ]
            + [
                "v_Ref", "m_ItemList", "u_ItemList", "r_Attributes", "u_AuthUI", "u_NoAuthUI", "u_Tomb",
                "m_ValidOnDate", "f_x", "u_OpPrompt",
            ]
        let values: [QueryValue] = [
            .text("a"), .text("80"), .text("inet"), .text("ak"), .text("aku"), .text("syna"), .text("u_AuthUIS"),
            .number(0),
            .number(1), .number(-3), .data([1]), .data(Array(0..<16)), .data(Array("inet".utf8) + Array(0..<16)),
            .date(1), .date(.nan), .null, .uuid(Array(0..<16)), .real(0.5), .other, .array([]),
            .accessControl(AccessControl(protection: .always)), QueryParserKeyTests.other,
            .array([QueryParserKeyTests.other, .data(Array("inet".utf8) + Array(0..<16))]),
        ]
        var accepted = 0
        for _ in 0..<40_000 {
            var pairs: [String: QueryValue] = ["class": .text("inet")]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                pairs[names.randomElement(using: &generator) ?? ""] = values.randomElement(using: &generator)
            }
            for operation in everyOperation {
                guard case .success(let made) = meaning(pairs.map { ($0.key, $0.value) }, operation) else { continue }
                accepted += 1
                let result = Result { () throws(KeychainError) in try made.validate() }
                #expect(result.status == .success, "seed \(generator.seed), \(operation): \(pairs)")
            }
        }
        #expect(accepted > 10_000)
    }
}
