import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of persistent references into file keychains, whatever the search list contains (reference, D.6).
@Suite struct KeychainReferenceTests {
    private static let invalidKeychain = -25295
    private static let itemNotFound = -25300

    private let household: Household
    private let probe: ProbeProcess
    private let other: ProbeProcess

    /// Unlocks the keychain with the item, which is in no list.
    init() throws {
        household = try Household()
        probe = try household.probe()
        other = try household.probe("other")
        try household.create("a")
        try household.create("b")
    }

    private func call(_ function: String, _ more: [String: Any], of probe: ProbeProcess) throws -> ProbeAnswer {
        try probe.ask(["call": "SecKeychainItem", "function": function].merging(more) { $1 })
    }

    private func search(_ names: [String]) throws {
        #expect(try probe.ask(["call": "SecKeychain", "function": "SetSearchList", "list": names]).status == 0)
    }

    /// The persistent reference of a new item in a keychain that is in no list.
    private func stored(in name: String) throws -> String {
        let item: [String: Any] = ["service": "mail", "account": "anna", "password": "s3cret", "path": name]
        let number = try #require(try call("AddGeneric", item, of: probe).dictionary?["item"] as? Int)
        let answer = try call("Reference", ["item": number], of: probe)
        try search(["b"])
        return try #require(answer.dictionary?["reference"] as? String)
    }

    private func resolve(_ reference: String) throws -> (status: Int, item: Int) {
        let answer = try call("FromReference", ["reference": reference], of: other)
        return (answer.status, answer.dictionary?["item"] as? Int ?? -1)
    }

    private func account(_ item: Int) throws -> String? {
        let content = try call("CopyContent", ["item": item, "tags": ["acct"]], of: other)
        return (content.dictionary?["acct"] as? String).flatMap { Data(base64Encoded: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func find(_ reference: String) throws -> ProbeAnswer {
        try probe.call("find", ["v_PersistentRef": ["data": reference], "r_Data": true])
    }

    @Test func oneOfAKeychainInNoListIsFoundWhileItIsOpen() throws {
        let reference = try stored(in: "a")
        #expect(try probe.call("find", ["class": "genp", "nleg": false]).status == Self.itemNotFound)
        let found = try resolve(reference)
        #expect(found.status == 0)
        #expect(try account(found.item) == "anna")
        let keychain = try call("CopyKeychain", ["item": found.item], of: other)
        #expect(keychain.dictionary?["keychain"] as? String == "<SecKeychain: \(household.keychains)/a-db>")
        #expect(try find(reference).data == Data("s3cret".utf8))
        // The reference also works if the list names only a keychain that does not exist.
        try search(["missing"])
        #expect(try resolve(reference).status == 0)
        // If the query names keychains, the item is looked for in those alone.
        let there: [String: Any] = ["m_SearchList": [["keychain": "b"]], "v_PersistentRef": ["data": reference]]
        #expect(try probe.call("find", there).status == Self.itemNotFound)
        #expect(try probe.call("delete", ["v_PersistentRef": ["data": reference]]).status == 0)
        #expect(try resolve(reference).status == Self.itemNotFound)
    }

    @Test func oneOfALockedKeychainIsFoundWhereThatWasLastOpen() throws {
        let reference = try stored(in: "a")
        try household.lock("a")
        #expect(try account(try resolve(reference).item) == "anna")
        household.dismiss()
        #expect(try account(try resolve(reference).item) == "anna", "of a daemon that never had it open")
        // The secret needs the keychain's password, as for any named keychain.
        #expect(
            try probe.ask(["call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false]).status == 0)
        #expect(try find(reference).status == -25293)
        #expect(try household.unlock("a") == .done)
        #expect(try find(reference).data == Data("s3cret".utf8))
    }

    /// A path is not enough: the file there has to be that keychain.
    @Test func anotherFileInItsPlaceIsAnotherKeychain() throws {
        let reference = try stored(in: "a")
        let (file, other) = (try household.path("a"), try household.path("b"))
        try household.lock("a")
        try household.lock("b")
        try #require(rename(file, file + ".aside") == 0)
        #expect(try resolve(reference).status == Self.itemNotFound, "moved away")
        try FileManager.default.copyItem(atPath: other, toPath: file)
        #expect(try resolve(reference).status == Self.itemNotFound, "another keychain")
        try Data("no keychain".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try resolve(reference).status == Self.invalidKeychain)
        try #require(rename(file + ".aside", file) == 0)
        #expect(try resolve(reference).status == 0)
        // The open keychain is the file that was unlocked, and not one that took its place.
        #expect(try household.unlock("a") == .done)
        try #require(rename(file, file + ".aside") == 0)
        try FileManager.default.copyItem(atPath: other, toPath: file)
        #expect(try resolve(reference).status == Self.invalidKeychain)
    }

    @Test func oneOfAnotherFolderIsFoundByTheRightOfWhoAsks() throws {
        let path = "\(household.home)/ci.keychain"
        #expect(try household.create(path) == .done)
        let reference = try stored(in: path)
        #expect(try find(reference).data == Data("s3cret".utf8))
        try household.lock(path)
        #expect(try account(try resolve(reference).item) == "anna")
        try #require(unlink(path) == 0)
        #expect(try resolve(reference).status == Self.itemNotFound)
    }

    /// The list has its largest size.
    ///
    /// All but the last entry are copies of one file, which need not be unlocked.
    @Test func anItemOfTheLastOfAThousandKeychainsIsFound() throws {
        let file = try household.path("b")
        try household.lock("b")
        let names = (0..<999).map { "b\($0)" }
        for name in names {
            try FileManager.default.copyItem(atPath: file, toPath: try household.path(name))
        }
        let item: [String: Any] = ["service": "mail", "account": "anna", "password": "s3cret", "path": "a"]
        #expect(try call("AddGeneric", item, of: probe).status == 0)
        try search(names + ["a"])
        let query: [String: Any] = ["service": "mail", "account": "anna", "data": true]
        #expect(try call("FindGeneric", query, of: probe).dictionary?["data"] as? String == "s3cret")
        let found = try probe.call("find", ["class": "genp", "nleg": false, "acct": "anna", "r_PersistentRef": true])
        #expect(try account(try resolve(try #require(found.data).base64EncodedString()).item) == "anna")
    }
}
