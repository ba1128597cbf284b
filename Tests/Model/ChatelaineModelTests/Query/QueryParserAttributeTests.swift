import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of the conversion of values, and of the attributes of the classes (behaviour/attributes-and-dates.md).
struct QueryParserAttributeTests {
    struct Column {
        let itemClass: ItemClass
        let name: String
        let kind: String
        let isUnique: Bool
    }

    /// The facts about attributes: class, four characters, kind, and whether the unique key includes it.
    static func columns() throws -> [Column] {
        let file = Repository.root.appendingPathComponent("Tests/Model/ChatelaineModelTests/Fixtures/attributes.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let words = line.split(separator: "\t").map(String.init)
            let itemClass = try #require(ItemClass(name: words[0]))
            return Column(itemClass: itemClass, name: words[1], kind: words[2], isUnique: words[3] == "yes")
        }
    }

    /// The attributes that a caller may not name, whatever their kind (behaviour/attributes-and-dates.md, 8).
    static let reserved: Set<String> = ["tomb", "UUID", "clip", "sysb", "ggrp"]

    static func kind(of column: Column) -> AttributeKind {
        if reserved.contains(column.name) { return .reserved }
        return switch column.kind {
        case "Blob": .blob
        case "Number": .number
        case "Data": .data
        case "Date", "CreationDate", "ModificationDate": .date
        case "Access": .accessibility
        case "AccessControl": .accessControl
        case "Sync": .synchronizable
        case "SHA1", "UUID": .ignored
        default: .string
        }
    }

    @Test func everyClassHasItsAttributesAndNoOther() throws {
        let columns = try Self.columns()
        #expect(columns.count == 146)
        for itemClass in ItemClass.allCases where itemClass != .identity {
            let expected = columns.filter { $0.itemClass == itemClass }
            let schema = AttributeSchema.of(itemClass)
            #expect(Set(schema.columns.map(\.key.name)) == Set(expected.map(\.name)), "\(itemClass)")
            #expect(schema.columns.map(\.key) == schema.columns.map(\.key).sorted())
            #expect(Set(schema.columns.map(\.key)).count == schema.columns.count)
            for column in expected {
                let key = try #require(AttributeKey(column.name))
                #expect(schema.kind(of: key) == Self.kind(of: column), "\(itemClass) \(column.name)")
            }
            // Every class has these in its unique key, but outside the schema.
            let common: Set = ["agrp", "sync", "vwht", "tkid", "musr", "ggrp"]
            let unique = Set(expected.filter(\.isUnique).map(\.name)).subtracting(common)
            #expect(Set(schema.uniqueKeys.map(\.name)) == unique, "\(itemClass)")
            for key in schema.uniqueKeys {
                switch schema.kind(of: key) {
                case .number: #expect(schema.uniqueDefault(for: key) == .number(0))
                case .date: #expect(schema.uniqueDefault(for: key) == .date(0))
                default: #expect(schema.uniqueDefault(for: key).matches(.data([])))
                }
            }
        }
    }

    @Test func anIdentityHasTheAttributesOfItsParts() {
        let parts = AttributeSchema.of(.key).columns + AttributeSchema.of(.certificate).columns
        let identity = AttributeSchema.of(.identity)
        #expect(Set(identity.columns.map(\.key)) == Set(parts.map(\.key)))
        for part in parts { #expect(identity.kind(of: part.key) == part.kind, "\(part.key.name)") }
    }

    enum Expected: Sendable {
        case value(AttributeValue)
        case refused
    }

    /// Conversions of one value of each type to one attribute of each kind.
    static let conversions: [(kind: String, attribute: String, value: QueryValue, expected: Expected)] = [
        ("blob", "acct", .text("a"), .value(.text("a"))), ("blob", "acct", .data([0xFF]), .value(.data([0xFF]))),
        ("blob", "acct", .number(7), .value(.number(7))), ("blob", "acct", .text(""), .value(.text(""))),
        ("blob", "acct", .real(0.5), .refused), ("blob", "acct", .date(0), .refused),
        ("blob", "acct", .uuid(Array(0..<16)), .refused), ("blob", "acct", .array([]), .refused),
        ("blob", "acct", .other, .refused),
        ("blob", "acct", .accessControl(AccessControl(protection: .always)), .refused),
        ("string", "vwht", .text("a"), .value(.text("a"))), ("string", "vwht", .data([0x61]), .value(.text("a"))),
        ("string", "vwht", .data([0xFF]), .refused), ("string", "vwht", .number(1), .refused),
        (
            "string", "tkid", .uuid(Array(0xA0...0xAF)), .value(.text("A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF"))
        ),
        ("data", "bin0", .data([1]), .value(.data([1]))), ("data", "bin0", .text("é"), .value(.data([0xC3, 0xA9]))),
        ("data", "bin0", .number(258), .value(.data([2, 1, 0, 0]))), ("data", "bin0", .number(1 << 40), .refused),
        ("data", "bin0", .date(0), .refused),
        ("number", "port", .number(80), .value(.number(80))), ("number", "port", .text("80"), .value(.number(80))),
        ("number", "port", .text("-1"), .value(.number(-1))), ("number", "port", .data([1]), .refused),
        ("number", "port", .date(1), .refused), ("number", "port", .real(1.5), .refused),
        ("number", "port", .uuid(Array(0..<16)), .refused),
        ("ruling 8", "ptcl", .text("http"), .value(.text("http"))), ("ruling 8", "ptcl", .text(""), .value(.text(""))),
        ("ruling 8", "ptcl", .text("080"), .value(.text("080"))),
        ("ruling 8", "ptcl", .text("+80"), .value(.text("+80"))),
        ("ruling 8", "ptcl", .text(" 80"), .value(.text(" 80"))),
        ("ruling 8", "ptcl", .text("99999999999999999999"), .value(.text("99999999999999999999"))),
        ("date", "cdat", .date(1.5), .value(.date(1.5))), ("date", "cdat", .number(0), .refused),
        ("date", "cdat", .text("2001"), .refused), ("date", "mdat", .date(.nan), .refused),
        ("date", "mdat", .date(.infinity), .refused),
    ]

    @Test(arguments: conversions.indices)
    func conversion(_ index: Int) throws {
        let row = Self.conversions[index]
        for operation in everyOperation {
            let result = meaning([("class", .text("inet")), (row.attribute, row.value)], operation)
            switch row.expected {
            case .value(let value):
                let made = try result.get()
                #expect(made.attributes.entries.map(\.value) == [value], "\(row.kind) \(operation)")
                #expect(throws: Never.self) { try made.validate() }
            case .refused: #expect(result.status == .param, "\(row.kind) \(row.value) \(operation)")
            }
        }
        let changed = Result { () throws(KeychainError) in
            try QueryParser.change([(row.attribute, row.value)], of: .internetPassword)
        }
        switch row.expected {
        case .value(let value): #expect(try changed.get().attributes.entries.map(\.value) == [value])
        case .refused: #expect(changed.status == .param)
        }
    }

    @Test func protectionClasses() throws {
        for accessibility in Accessibility.allCases {
            let name = accessibility.name
            #expect(try parseNew(["class": .text("genp"), "pdmn": .text(name)]).accessibility == accessibility)
            let data = QueryValue.data(Array(name.utf8))
            #expect(try parseNew(["class": .text("genp"), "pdmn": data]).accessibility == accessibility)
        }
        for value: QueryValue in [.text("xx"), .text(""), .number(1), .uuid(Array(0..<16)), .data([0xFF])] {
            for operation in everyOperation {
                #expect(meaning([("class", .text("genp")), ("pdmn", value)], operation).status == .param)
            }
            #expect(throws: KeychainError(.param, "")) { try change(["pdmn": value]) }
        }
    }

    @Test func ruling5AccessControlAndProtectionClassAgree() throws {
        let control = QueryValue.accessControl(AccessControl(protection: .afterFirstUnlock))
        for operation in everyOperation {
            #expect(meaning([("class", .text("genp")), ("accc", .text("ck"))], operation).status == .param)
            #expect(
                meaning([("class", .text("genp")), ("accc", control), ("pdmn", .text("ak"))], operation).status
                    == .param)
            let both = meaning([("class", .text("genp")), ("accc", control), ("pdmn", .text("ck"))], operation)
            #expect(try both.get().accessibility == .afterFirstUnlock)
        }
        #expect(try change(["accc": control]).accessibility == .afterFirstUnlock)
        #expect(try change(["accc": control, "pdmn": .text("ck")]).accessibility == .afterFirstUnlock)
        #expect(throws: KeychainError(.param, "")) { try change(["accc": control, "pdmn": .text("dk")]) }
    }

    @Test func ruling18SynchronizableInAnyProtectionClass() throws {
        for accessibility in Accessibility.allCases {
            let pairs: [(key: String, value: QueryValue)] = [
                ("class", .text("genp")), ("sync", .number(1)), ("pdmn", .text(accessibility.name)),
            ]
            for operation in everyOperation {
                let made = try meaning(pairs, operation).get()
                #expect(made.isSynchronizable && made.accessibility == accessibility)
                #expect(throws: Never.self) { try made.validate() }
            }
            let changed = try QueryParser.change(Array(pairs.dropFirst()), of: .genericPassword)
            #expect(changed.isSynchronizable == true && changed.accessibility == accessibility)
            #expect(throws: Never.self) { try changed.validate(for: .genericPassword) }
        }
    }

    @Test func synchronizableScope() throws {
        for (value, scope) in [
            (QueryValue.number(0), SynchronizableScope.local), (.number(1), .synchronizable), (.text("syna"), .any),
            (.text("1"), .synchronizable), (.text("0"), .local),
        ] { #expect(try parse(["class": .text("genp"), "sync": value], .find).synchronizable == scope) }
        #expect(throws: KeychainError(.param, "")) { try parseNew(["class": .text("genp"), "sync": .text("syna")]) }
        #expect(throws: KeychainError(.param, "")) { try change(["sync": .text("syna")]) }
        #expect(throws: KeychainError(.param, "")) { try parse(["class": .text("genp"), "sync": .text("x")], .find) }
        #expect(throws: KeychainError(.param, "")) { try parse(["class": .text("genp"), "sync": .data([1])], .find) }
    }

    @Test func reservedAndDerivedAttributes() throws {
        for name in Self.reserved {
            #expect(throws: KeychainError(.param, ""), "\(name)") {
                try parse(["class": .text("genp"), "\(name)": .number(1)], .find)
            }
            #expect(throws: KeychainError(.param, ""), "\(name)") { try change(["\(name)": .number(1)]) }
        }
        // A returned dictionary works as a query again (behaviour/attributes-and-dates.md, 7).
        #expect(try parse(["class": .text("genp"), "sha1": .data([1])], .find).attributes.isEmpty)
        #expect(try change(["musr": .data([])]).attributes.isEmpty)
    }

    @Test func ruling9StringAndDataOfEqualBytesMatch() {
        #expect(AttributeValue.text("é").matches(.data([0xC3, 0xA9])))
        #expect(AttributeValue.data([0xC3, 0xA9]).matches(.text("é")))
        #expect(!AttributeValue.text("é").matches(.data([0xC3])))
        #expect(AttributeValue.text("é") != .data([0xC3, 0xA9]))
        #expect(!AttributeValue.text("1").matches(.number(1)))
        #expect(!AttributeValue.number(1).matches(.date(1)))
        // The composed and the decomposed form are equal strings in Swift, but two values here.
        #expect(!AttributeValue.text("\u{E9}").matches(.text("e\u{301}")))
        #expect(AttributeValue.text("\u{E9}") != .text("e\u{301}"))
        #expect(Set([AttributeValue.text("\u{E9}"), .text("e\u{301}"), .text("\u{E9}")]).count == 2)
    }
}
