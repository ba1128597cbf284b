import ChatelaineMemory
import ChatelaineModel
import Testing

/// Tests of the second dictionary of SecItemUpdate (behaviour/updating.md, 5 to 15).
struct QueryParserChangeTests {
    static let rows: [(String, KeyValuePairs<String, QueryValue>, Status)] = [
        ("empty", [:], .success),
        ("an attribute of the unique key", ["acct": .text("b")], .success),
        ("a date (ruling 10)", ["cdat": .date(5)], .success),
        ("null", ["acct": .null], .param),
        ("no such attribute", ["srvr": .text("a")], .noSuchAttribute),
        ("four characters of no class", ["zzzz": .text("a")], .noSuchAttribute),
        ("ruling 34: the class", ["class": .text("genp")], .success),
        ("ruling 34: another class", ["class": .text("inet")], .noSuchAttribute),
        ("no class", ["class": .text("none")], .noSuchClass),
        ("a class that is no string", ["class": .number(1)], .param),
        ("a return key", ["r_Data": .number(1)], .noSuchAttribute),
        ("an unknown return key", ["r_Foo": .number(1)], .noSuchAttribute),
        ("a match key", ["m_Limit": .number(1)], .noSuchAttribute),
        ("an item list", ["m_ItemList": .array([])], .noSuchAttribute),
        ("a use key (the context belongs in the query)", ["u_AuthUI": .text("u_AuthUIA")], .noSuchAttribute),
        ("a value reference", ["v_Ref": .other], .noSuchAttribute),
        ("a persistent reference", ["v_PersistentRef": .data(Array(repeating: 0, count: 20))], .noSuchAttribute),
        ("a row identifier", ["persistref": .data(Array(repeating: 0, count: 16))], .noSuchAttribute),
        ("a key of no spelling", ["service": .text("a")], .param),
        ("ruling 7: string as data", ["v_Data": .text("a")], .param),
        ("ruling 7: number as data", ["v_Data": .number(1)], .param),
        ("data", ["v_Data": .data([1])], .success),
        ("access object", ["acls": .other], .noSuchAttribute),
        ("keychain", ["u_Keychain": .other], .noSuchAttribute),
        ("ruling 11", ["nleg": .number(1)], .success),
        ("no key", ["": .text("a")], .param),
        ("sharing group", ["ggrp": .text("a")], .param),
    ]

    @Test(arguments: rows.indices)
    func row(_ index: Int) {
        let (name, pairs, status) = Self.rows[index]
        let result = Result { () throws(KeychainError) in
            try QueryParser.change(pairs.map { ($0.key, $0.value) }, of: .genericPassword)
        }
        #expect(result.status == status, "\(name): \(result)")
        if case .success(let change) = result {
            #expect(throws: Never.self, "\(name)") { try change.validate(for: .genericPassword) }
        }
    }

    @Test func meaning() throws {
        let changed = try change([
            "acct": .text("b"), "agrp": .text("g"), "sync": .number(1), "pdmn": .text("dk"), "v_Data": .data([7]),
        ])
        #expect(changed.attributes.entries.map(\.key) == [.account])
        #expect(changed.accessGroup == "g" && changed.isSynchronizable == true && changed.accessibility == .always)
        #expect(changed.secret == SecretBytes([7]))
        let empty = try change([:])
        #expect(empty.attributes.isEmpty && empty.secret == nil && empty.isSynchronizable == nil)
    }
}
