import Foundation
import TestSupport
import Testing

/// Tests of the four SecItem calls for passwords in file keychains, between two programs (behaviour/keychain-items.md).
@Suite struct FileKeychainPasswordTests {
    private enum Expected {
        static let invalidOwnerEdit = -25244
        static let authFailed = -25293
        static let noSuchKeychain = -25294
        static let duplicateItem = -25299
        static let itemNotFound = -25300
    }

    private let programs: TwoPrograms
    private var household: Household { programs.household }
    private var keeper: ProbeProcess { programs.keeper }
    private var game: ProbeProcess { programs.game }
    private var paths: [String] { programs.paths }

    init() throws { programs = try TwoPrograms(keychains: "a", "b") }

    private func add(_ account: String, to keychain: String = "a", _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        let item: [String: Any] = [
            "class": "genp", "svce": "mail", "acct": account, "v_Data": PasswordTests.data("\(account) \(keychain)"),
            "u_Keychain": ["keychain": keychain],
        ]
        return try keeper.call("add", item.merging(more) { $1 })
    }

    private func reference(_ account: String, to keychain: String = "a", _ more: [String: Any] = [:]) throws -> [String:
        Int]
    {
        let answer = try add(account, to: keychain, more.merging(["r_Ref": true]) { $1 })
        return ["reference": try #require(answer.dictionary?["reference"] as? Int)]
    }

    private func search(_ names: String...) -> [String: Any] { ["m_SearchList": names.map { ["keychain": $0] }] }

    /// The secrets of the passwords that a query finds.
    private func secrets(_ query: [String: Any], by probe: ProbeProcess? = nil) throws -> (Int, [String]) {
        let all: [String: Any] = ["r_Data": true, "m_Limit": "m_LimitAll"]
        let answer = try (probe ?? keeper).call("find", query.merging(all) { $1 })
        let found = answer.result as? [Any] ?? []
        return (answer.status, found.compactMap { ProbeAnswer.data($0).map { String(decoding: $0, as: UTF8.self) } })
    }

    private let mail: [String: Any] = ["class": "genp", "svce": "mail"]

    @Test func aPasswordIsFoundInTheKeychainsThatAreSearched() throws {
        #expect(try add("anna").status == 0 && add("anna", to: "b").status == 0)
        #expect(try add("anna").status == Expected.duplicateItem)
        #expect(try secrets(mail.merging(search("a")) { $1 }) == (0, ["anna a"]))
        #expect(try secrets(mail.merging(search("b", "a")) { $1 }) == (0, ["anna b", "anna a"]))
        #expect(try secrets(mail.merging(["nleg": false]) { $1 }) == (0, ["anna a", "anna b"]))
        #expect(try secrets(mail).0 == Expected.itemNotFound, "the default target has none")
        let change: [String: Any] = ["labl": "later", "v_Data": PasswordTests.data("new")]
        #expect(try keeper.call("update", mail.merging(search("b")) { $1 }, change: change).status == 0)
        #expect(try secrets(mail.merging(["nleg": false]) { $1 }) == (0, ["anna a", "new"]))
        #expect(try keeper.call("delete", mail.merging(search("a")) { $1 }).status == 0)
        #expect(try secrets(mail.merging(["nleg": false]) { $1 }) == (0, ["new"]))
    }

    @Test func listsNameTheItemsThatCount() throws {
        let (anna, bob) = (try reference("anna"), try reference("bob", to: "b"))
        _ = try reference("carl")
        #expect(try secrets(["class": "genp", "m_ItemList": [bob, anna]]).1.sorted() == ["anna a", "bob b"])
        #expect(try secrets(["u_ItemList": [anna]]) == (0, ["anna a"]))
        #expect(try secrets(["class": "genp", "m_ItemList": [anna, bob], "acct": "bob"]) == (0, ["bob b"]))
        #expect(
            try secrets(["class": "genp", "m_ItemList": [anna]].merging(search("b")) { $1 }).0 == Expected.itemNotFound)
        #expect(try keeper.call("delete", ["u_ItemList": [anna, bob]]).status == 0)
        #expect(try secrets(mail.merging(["nleg": false]) { $1 }) == (0, ["carl a"]))
    }

    @Test func aListWithoutKeychainsReachesNoItem() throws {
        #expect(try add("anna").status == 0 && add("anna", to: "b").status == 0)
        let none = mail.merging(search()) { $1 }
        #expect(try keeper.call("delete", none).status == Expected.itemNotFound)
        #expect(try keeper.call("update", none, change: ["labl": "x"]).status == Expected.itemNotFound)
        #expect(try secrets(none).0 == Expected.itemNotFound)
        #expect(try secrets(mail.merging(["nleg": false]) { $1 }) == (0, ["anna a", "anna b"]))
    }

    @Test func aKeychainThatIsNotThereIsNotALockedOne() throws {
        let never: [String: Any] = ["u_Keychain": ["keychain": "never"]]
        for more in [[:], ["u_AuthUI": "u_AuthUIF"]] as [[String: Any]] {
            #expect(try add("anna", to: "a", more.merging(never) { $1 }).status == Expected.noSuchKeychain)
        }
    }

    @Test func whoIsNotListedReadsChangesAndDeletesNothing() throws {
        let anna = try reference("anna")
        #expect(try secrets(mail.merging(search("a")) { $1 }, by: game).0 == Expected.authFailed)
        let names = mail.merging(search("a")) { $1 }.merging(["r_Attributes": true]) { $1 }
        #expect(try game.call("find", names).dictionary?["acct"] as? String == "anna")
        let query = mail.merging(search("a")) { $1 }
        #expect(try game.call("update", query, change: ["labl": "mine"]).status == Expected.authFailed)
        #expect(try game.call("delete", query).status == Expected.invalidOwnerEdit)
        #expect(try secrets(["u_ItemList": [anna]]) == (0, ["anna a"]))
        #expect(try keeper.call("delete", query).status == 0)
    }

    /// An access object says who reads the item; only a person can allow another program to change it.
    @Test func anAccessObjectComesWithTheItem() throws {
        #expect(try add("nobody", ["acls": ["access": [String]()]]).status == 0)
        #expect(try secrets(["class": "genp", "acct": "nobody"].merging(search("a")) { $1 }).0 == Expected.authFailed)
        #expect(try add("both", ["acls": ["access": paths]]).status == 0)
        let both = ["class": "genp", "acct": "both"].merging(search("a")) { $1 }
        #expect(try secrets(both) == (0, ["both a"]))
        // The access object lists the program, but the item's partition list does not: a person would be asked.
        #expect(try secrets(both, by: game).0 == Expected.authFailed)
        for probe in [keeper, game] {
            let change = try probe.call("update", both, change: ["acls": ["access": [paths[1]]]])
            #expect(change.status == Expected.authFailed)
        }
        #expect(try secrets(both) == (0, ["both a"]))
        // The other attributes are changed first, and nothing where they cannot be.
        let taken = try keeper.call("update", both, change: ["acct": "nobody", "acls": ["access": paths]])
        #expect(taken.status == Expected.duplicateItem)
    }
}
