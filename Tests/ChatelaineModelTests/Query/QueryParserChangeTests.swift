import ChatelaineMemory
import ChatelaineModel
import Testing

/// The second dictionary of SecItemUpdate: behaviour A.7.
struct QueryParserChangeTests {
    static let rows: [(String, KeyValuePairs<String, QueryValue>, Status)] = [
        ("empty", [:], .success),
        ("an attribute of the unique key", ["acct": .text("b")], .success),
        ("a date (ruling 10)", ["cdat": .date(5)], .success),
        ("null", ["acct": .null], .param),
        ("no such attribute", ["srvr": .text("a")], .noSuchAttribute),
        ("four characters of no class", ["zzzz": .text("a")], .noSuchAttribute),
        ("class", ["class": .text("genp")], .param),
        ("a return key", ["r_Data": .number(1)], .param),
        ("a match key", ["m_Limit": .number(1)], .param),
        ("a use key (A.10: the context belongs in the query)", ["u_AuthUI": .text("u_AuthUIA")], .param),
        ("a value reference", ["v_Ref": .other], .param),
        ("a persistent reference", ["v_PersistentRef": .data(Array(repeating: 0, count: 20))], .param),
        ("a row identifier", ["persistref": .data(Array(repeating: 0, count: 16))], .param),
        ("ruling 7: string as data", ["v_Data": .text("a")], .param),
        ("ruling 7: number as data", ["v_Data": .number(1)], .param),
        ("data", ["v_Data": .data([1])], .success),
        ("ruling 4: access object", ["acls": .other], .unimplemented),
        ("ruling 4: keychain", ["u_Keychain": .other], .unimplemented),
        ("ruling 4: file keychain", ["nleg": .number(0)], .unimplemented),
        ("ruling 11", ["nleg": .number(1)], .success),
        ("no key", ["": .text("a")], .param),
        ("A.2 sharing group", ["ggrp": .text("a")], .param),
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
