import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests with a keychain file of an earlier version that knew passwords alone:
/// `Tests/Storage/FileKeychainsTests/Files`.
@Suite struct FormerFileKeychainTests {
    private let household: Household

    init() throws {
        household = try Household()
        // Creating a keychain makes the folder.
        try household.create("new")
        let file = Repository.root.appendingPathComponent(
            "Tests/Storage/FileKeychainsTests/Files/version-1.keychain-db")
        let path = "\(household.keychains)/old.keychain-db"
        try FileManager.default.copyItem(at: file, to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try household.give(path)
    }

    private func query(_ returns: ReturnTypes) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text("anna")
        query.returns = returns
        return query
    }

    /// The item in the file.
    private func item() throws -> KeychainItem {
        let scope = KeychainScope(paths: [try household.path("old.keychain")])
        return try #require(try household.client.find(query(.attributes), in: scope).first)
    }

    /// Lists a program for the item, by the keychain's password.
    private func list(_ program: String) throws {
        let client = household.client
        let application = try client.trustedApplication(at: program)
        let partitions = PartitionList([try #require(application.partition)])
        let access = AccessObject.default(descriptor: "of before", trusted: [application]).partitioned(partitions)
        let report = try client.setAccess(
            [ItemAccess(access, of: try item().reference)], in: try household.path("old.keychain"),
            password: SecretBytes("of version 1".utf8))
        try #require(report.outcome == .done)
    }

    private var version: Int {
        get throws {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(household.keychains)/old.keychain-db"))
            defer { try? file.close() }
            // The header of SQLite has the version at offset 60, most significant byte first.
            return try #require(try file.read(upToCount: 64)).suffix(4).reduce(0) { $0 << 8 | Int($1) }
        }
    }

    @Test func itOpensAndTakesKeys() throws {
        #expect(try version == 1)
        #expect(try item().isVerified == false)
        // Reading does not change the version.
        #expect(try version == 1)
        #expect(try household.unlock("old.keychain", "of version 1") == .done)
        let probe = try household.probe()
        try list("\(household.home)/keeper")
        let find = ["call": "file-find", "path": "old.keychain", "account": "anna", "ui": "fail"]
        #expect(try probe.ask(find).result as? String == "secret of anna")
        let made = try probe.ask([
            "call": "makeKey",
            "query": [
                "type": 73, "bsiz": 256, "perm": true, "u_Keychain": ["keychain": "old.keychain"],
            ] as [String: Any],
        ])
        #expect(made.status == 0)
        let added = try probe.call(
            "add", ["v_Ref": ["certificate": SampleCertificates.leaf], "u_Keychain": ["keychain": "old.keychain"]])
        #expect(added.status == 0)
        try household.lock("old.keychain")
        #expect(try version == 2)
        #expect(try household.unlock("old.keychain", "of version 1") == .done)
        #expect(try probe.ask(find).result as? String == "secret of anna")
        let key = try #require(made.dictionary?["reference"] as? Int)
        let signed = try probe.ask([
            "call": "sign", "algorithm": "algid:sign:ECDSA:message-X962:SHA256",
            "query": ["key": ["reference": key], "data": PasswordTests.data("m")] as [String: Any],
        ])
        #expect(signed.status == 0)
    }
}
