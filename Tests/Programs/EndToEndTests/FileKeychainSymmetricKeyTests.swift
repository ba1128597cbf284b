import Foundation
import TestSupport
import Testing

/// Tests of symmetric keys in file keychains, from Apple's calls down to the store, between two programs
/// (behaviour/symmetric-keys.md).
@Suite struct FileKeychainSymmetricKeyTests {
    private enum Expected {
        static let unimplemented = -4
        static let authFailed = -25293
        static let duplicateItem = -25299
        static let itemNotFound = -25300
        static let decode = -26275
    }

    private static let aes = "2147483649"
    private static let keychain = ["keychain": "a"]

    private let household: Household
    private let keeper: ProbeProcess
    private let keeperPath: String

    init() throws {
        household = try Household()
        keeperPath = try household.application("keeper")
        keeper = try household.silentProbe("keeper")
        try household.create("a")
    }

    /// Another copy of the same program, in its own file.
    private func game() throws -> ProbeProcess {
        _ = try household.otherApplication("game")
        return try household.silentProbe("game")
    }

    private func reference(_ answer: ProbeAnswer) throws -> [String: Int] {
        try #require(answer.status == 0, "\(answer.status)")
        return ["reference": try #require(answer.dictionary?["reference"] as? Int)]
    }

    private func make(_ more: [String: Any] = [:], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        let query: [String: Any] = ["type": Self.aes, "bsiz": 256]
        return try (probe ?? keeper).ask(["call": "makeSymmetric", "query": query.merging(more) { $1 }])
    }

    private func makeStored(_ name: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
        let stored: [String: Any] = ["perm": true, "labl": name, "u_Keychain": Self.keychain]
        return try make(stored.merging(more) { $1 })
    }

    private func find(_ query: [String: Any], by probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        let base: [String: Any] = ["class": "keys", "kcls": 2, "m_SearchList": [Self.keychain]]
        return try (probe ?? keeper).call("find", base.merging(query) { $1 })
    }

    private func count() throws -> Int {
        try find(["r_Attributes": true, "m_Limit": "m_LimitAll"]).array?.count ?? 0
    }

    private func wrap(_ inner: [String: Int], by outer: [String: Int], of probe: ProbeProcess? = nil) throws -> Int {
        try (probe ?? keeper).ask([
            "call": "wrap", "query": ["key": inner, "other": outer] as [String: Any],
        ]).status
    }

    private func bytes(_ key: [String: Int], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        try (probe ?? keeper).ask(["call": "export", "query": ["key": key] as [String: Any]])
    }

    @Test func aKeyIsMadeFoundUsedAndDeleted() throws {
        let made = try reference(makeStored("mine"))
        let found = try reference(find(["labl": "mine", "r_Ref": true]))
        let inner = try reference(make())
        for key in [made, found] { #expect(try wrap(inner, by: key) == 0) }
        let own = try bytes(found)
        #expect(own.data?.count == 32)
        #expect(try own.data == find(["labl": "mine", "r_Data": true]).data)
        let attributes = try #require(try keeper.ask(["call": "keyAttributes", "query": ["key": found]]).dictionary)
        #expect(attributes["labl"] as? String == "mine" && attributes["perm"] as? Bool == true)
        #expect(attributes["v_Data"] == nil && attributes["bsiz"] as? Int == 256)
        // The data protection keychain has no key.
        #expect(try keeper.call("find", ["class": "keys"]).status == Expected.itemNotFound)
        try expectItEnds(found, made, inner)
    }

    /// A key works while its keychain is unlocked, and until it is deleted.
    private func expectItEnds(_ found: [String: Int], _ made: [String: Int], _ inner: [String: Int]) throws {
        try household.lock("a")
        #expect(try wrap(inner, by: found) == Expected.authFailed)
        #expect(try household.unlock("a") == .done)
        #expect(try wrap(inner, by: found) == 0)
        #expect(try keeper.call("delete", ["v_Ref": found]).status == 0)
        #expect(try wrap(inner, by: made) == Expected.itemNotFound)
    }

    @Test func whoIsNotListedFindsItAndDoesNothingWithIt() throws {
        _ = try reference(makeStored("mine"))
        let game = try game()
        let found = try reference(find(["labl": "mine", "r_Ref": true], by: game))
        #expect(try bytes(found, of: game).status == Expected.authFailed)
        #expect(try wrap(try reference(make(of: game)), by: found, of: game) == Expected.authFailed)
    }

    @Test func twoOfOneNameAreTwo() throws {
        let (one, other) = (try reference(makeStored("one name")), try reference(makeStored("one name")))
        #expect(try bytes(one).data != bytes(other).data)
        let label = ["klbl": PasswordTests.data("one label")]
        _ = try reference(makeStored("one name", label))
        #expect(try makeStored("one name", label).status == Expected.duplicateItem)
        #expect(try count() == 3)
    }

    @Test func oneInMemoryIsAdded() throws {
        let key = try reference(make())
        let item: [String: Any] = ["v_Ref": key, "u_Keychain": Self.keychain, "labl": "brought", "r_Ref": true]
        let added = try reference(keeper.call("add", item))
        #expect(try bytes(added).data == bytes(key).data)
        // The key is added to the data protection keychain.
        let moved: [String: Any] = ["v_Ref": added, "nleg": true, "labl": "moved", "r_Ref": true]
        #expect(try bytes(reference(keeper.call("add", moved))).data == bytes(key).data)
    }

    @Test func rawBytesAreImportedAsOne() throws {
        let data = Data(repeating: 7, count: 32)
        func imported(_ data: Data, _ more: [String: Any] = [:]) throws -> (status: Int, items: [String]) {
            let command: [String: Any] = [
                "call": "import", "data": data.base64EncodedString(), "format": 4, "keychain": "a",
            ]
            let answer = try keeper.ask(command.merging(more) { $1 })
            return (answer.status, answer.dictionary?["items"] as? [String] ?? [])
        }
        let first = try imported(data)
        #expect(first.status == 0)
        #expect(first.items == ["<SecKey: symmetric key, AES, 256 bits> \(data.base64EncodedString())"])
        // Another key of the same size is another item.
        #expect(try imported(Data(repeating: 8, count: 32)).status == 0)
        #expect(try count() == 2)
        let attributes = try #require(try find(["r_Attributes": true]).dictionary)
        #expect(attributes["labl"] as? String == "Imported Symmetric Key")
        // Without "extractable" the key stays inside.
        let kept = try imported(data, ["attributes": ["perm"]])
        #expect(kept.status == 0 && kept.items == ["<SecKey: symmetric key, AES, 256 bits> "])
    }

    // MARK: Keys that never leave

    private static let kept = ["extr": false]

    @Test func aKeptOneIsMadeFoundUsedAndDeleted() throws {
        let made = try reference(makeStored("kept", Self.kept))
        let found = try reference(find(["labl": "kept", "r_Ref": true]))
        let inner = try reference(make())
        for key in [made, found] { #expect(try wrap(inner, by: key) == 0) }
        #expect(try unwrap(wrapped(inner, by: made), by: found).data == bytes(inner).data)
        #expect(try bytes(found).status == Expected.unimplemented)
        let raw = try keeper.ask(["call": "raw", "query": ["key": found] as [String: Any]])
        #expect(raw.status == Expected.unimplemented, "by the protocol itself")
        let read = try find(["labl": "kept", "r_Data": true])
        #expect(read.status == 0 && read.result == nil)
        #expect(try wrap(found, by: inner) == Expected.unimplemented)
        let item: [String: Any] = ["v_Ref": found, "nleg": true, "labl": "moved"]
        #expect(try keeper.call("add", item).status == Expected.unimplemented)
        #expect(try keeper.call("update", ["v_Ref": found], change: ["labl": "later"]).status == 0)
        try expectItEnds(found, made, inner)
    }

    /// To wrap takes the right *encrypt*, and to unwrap *decrypt*; a program of no partition of the key has neither.
    @Test func whoIsNotListedDoesNothingWithAKeptOne() throws {
        let key = try reference(makeStored("kept", Self.kept))
        let wrapped = try wrapped(reference(make()), by: key)
        let game = try game()
        let found = try reference(find(["labl": "kept", "r_Ref": true], by: game))
        #expect(try unwrap(wrapped, by: found, of: game).status == Expected.authFailed)
        #expect(try bytes(found, of: game).status == Expected.unimplemented)
        #expect(try wrap(try reference(make(of: game)), by: found, of: game) == Expected.authFailed)
    }

    @Test func eachTaskOfAKeptOneTakesItsRight() throws {
        for (right, canWrap, canUnwrap) in [
            (nil, true, true), ("ACLAuthorizationEncrypt", false, true), ("ACLAuthorizationDecrypt", true, false),
            ("ACLAuthorizationExportClear", true, true),
        ] {
            var access: [String: Any] = ["access": [keeperPath]]
            access["without"] = right
            let key = try reference(makeStored(right ?? "all", ["extr": false, "acls": access]))
            let comment: Comment = "without \(right ?? "none")"
            let inner = try reference(make())
            func status(_ isAllowed: Bool) -> Int { isAllowed ? 0 : Expected.authFailed }
            #expect(try wrap(inner, by: key) == status(canWrap), comment)
            // What no key wrapped is refused after the right was looked at.
            let nonsense = Data(repeating: 1, count: 40)
            #expect(
                try unwrap(nonsense, by: key).status == (canUnwrap ? Expected.decode : Expected.authFailed), comment)
        }
    }

    @Test func aKeptOneIsBrought() throws {
        let key = try reference(make())
        let item: [String: Any] = [
            "v_Ref": key, "u_Keychain": Self.keychain, "labl": "brought", "r_Ref": true, "extr": false,
        ]
        let added = try reference(keeper.call("add", item))
        let inner = try reference(make())
        #expect(try bytes(added).status == Expected.unimplemented)
        #expect(try wrapped(inner, by: added) == wrapped(inner, by: key))
    }

    private func wrapped(_ inner: [String: Int], by outer: [String: Int]) throws -> Data {
        let query: [String: Any] = ["key": inner, "other": outer]
        return try #require(try keeper.ask(["call": "wrap", "query": query]).data)
    }

    private func unwrap(_ data: Data, by key: [String: Int], of probe: ProbeProcess? = nil) throws -> ProbeAnswer {
        let query: [String: Any] = ["key": key, "data": KeyItemTests.base64(data)]
        let answer = try (probe ?? keeper).ask(["call": "unwrap", "query": query])
        return answer.status == 0 ? try bytes(try reference(answer), of: probe) : answer
    }
}
