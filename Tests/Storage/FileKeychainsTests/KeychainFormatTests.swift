import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import ItemStore
@testable import StoreEngine

/// The file has the form that `Documentation/formats/file-keychain.md` describes.
@Suite struct KeychainFormatTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    /// The schema text of a version never changes, because files of that version exist on other machines.
    @Test func theSchemaOfTheFirstVersionIsWhatItWas() throws {
        #expect(StoreSchema.fileVersion == 2)
        #expect(StoreSchema.fileApplicationID == 0x4368_6B79)
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        let objects = try fixture.read("SELECT name FROM sqlite_schema ORDER BY name", from: "work")
        #expect(
            objects == [
                "brought", "grdb_migrations", "items", "items_group", "items_label", "items_owner", "items_pair",
                "items_place", "items_tag", "items_tombs", "items_unique", "items_uuid", "losses", "properties",
                "quarantine", "recoveries", "requests", "requests_name", "sqlite_autoindex_grdb_migrations_1", "store",
            ])
        #expect(
            try fixture.read("SELECT sql FROM sqlite_schema WHERE name = 'properties'", from: "work")
                == ["CREATE TABLE properties (id INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT"])
    }

    @Test func columnsOfAnItemAreAsDescribed() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        #expect(
            try fixture.read(
                "SELECT class || ' ' || pdmn || ' ' || sync || ' ' || tomb || ' ' || metadata_key || ' ' || class_key FROM items",
                from: "work") == ["1 1 0 0 1 1"])
        #expect(
            try fixture.read("SELECT id || ' ' || hex(value) FROM properties WHERE id = 2", from: "work") == ["2 00"])
    }

    @Test func aReaderOfThirtyLinesShowsNamesAndNoSecret() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "never shown")
        try keychain.add("example.com", "bèrt", "never shown")
        try fixture.lock(keychain)
        let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Reader/read-keychain.py").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", reader, fixture.path("work")]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.first?.contains("'acct': 'anna'") == true && lines.first?.contains("'svce': 'example.org'") == true)
        #expect(lines.last?.contains("bèrt") == true)
        #expect(!output.contains("never shown"))
        #expect(try fixture.names() == ["work.keychain-db"])
    }

    /// The certificate stands in clear before the attributes, so that reading it needs no key.
    @Test func aCertificateStandsInClear() throws {
        let keychain = try fixture.made("work")
        try keychain.add(certificate: Self.der)
        try fixture.lock(keychain)
        #expect(
            try fixture.read(
                "SELECT class || ' ' || (secret IS NULL) || ' ' || (instr(metadata, x'30820102030405') > 0) FROM items",
                from: "work") == ["3 1 1"])
        var query = ItemQuery(itemClass: .certificate)
        #expect(try keychain.findUnverified(query, index: fixture.custodian.index).first?.secret == nil)
        query.returns = .data
        let shown = try keychain.findUnverified(query, index: fixture.custodian.index)
        #expect(shown.first?.secret == SecretBytes(Self.der))
        try fixture.unlock(keychain)
        #expect(try keychain.store().find(query, groups: [FileKeychain.group]).first?.secret == SecretBytes(Self.der))
        // A change of the label leaves the certificate as it is.
        var change = ItemChange()
        change.attributes[.label] = .text("later")
        try keychain.store().update(query, change, groups: [FileKeychain.group], request: .sample())
        #expect(try keychain.store().find(query, groups: [FileKeychain.group]).first?.secret == SecretBytes(Self.der))
    }

    /// Certificates stand beside the attributes, but count towards the size of a result as secrets do.
    @Test func certificatesCountInResults() throws {
        let keychain = try fixture.made("work")
        let large = [UInt8](repeating: 9, count: Limits.secretBytes)
        for number in 0..<5 { try keychain.add(certificate: large, number: number) }
        var query = ItemQuery(itemClass: .certificate)
        (query.limit, query.returns) = (.all, .data)
        var asked = 0
        func find() throws -> Int {
            try keychain.store().find(query, groups: [FileKeychain.group], whenLarge: { asked += 1 }).count
        }
        func findUnverified(_ byteLimit: Int = .max) throws -> Int {
            try keychain.findUnverified(query, byteLimit: byteLimit, index: fixture.custodian.index).count
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try find() }
        #expect(asked == 1)
        query.limit = .count(4)
        #expect(try find() == 4)
        // A search that returns no data does not read the certificates.
        (query.limit, query.returns) = (.all, [])
        asked = 0
        #expect(try find() == 5 && asked == 0)
        try fixture.lock(keychain)
        #expect(try findUnverified(ItemStore.smallResultBytes) == 5)
        query.returns = .data
        #expect(throws: KeychainError(.dataTooLarge, "")) { try findUnverified() }
        query.limit = .count(4)
        #expect(try findUnverified() == 4)
        query.limit = .one
        #expect(throws: KeychainError(.dataTooLarge, "")) { try findUnverified(ItemStore.smallResultBytes) }
    }

    private static let der: [UInt8] = [0x30, 0x82, 1, 2, 3, 4, 5] + Array(repeating: 9, count: 300)

    /// Somebody who may write files can put a row of one file into another, or a row's content in another row's place.
    @Test func aRowOfAnotherFileIsNone() throws {
        let (first, second) = (try fixture.made("one"), try fixture.made("two"))
        try first.add(certificate: Self.der)
        try first.add("svc", "anna", "of the first")
        try second.add("svc", "anna", "of the second")
        for keychain in [first, second] { try fixture.lock(keychain) }
        try fixture.write(
            "ATTACH '\(fixture.path("one"))' AS other; DELETE FROM items; INSERT INTO items SELECT * FROM other.items",
            to: "two")
        try fixture.unlock(second)
        #expect(try second.secret("svc", "anna") == nil)
        var query = ItemQuery(itemClass: .certificate)
        query.returns = .data
        #expect(try second.store().find(query, groups: [FileKeychain.group]).isEmpty)
    }

    @Test func aFileOfALaterVersionIsLeftAsItIs() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "anna", "s3cret")
        try fixture.lock(keychain)
        try fixture.write("CREATE TABLE later (a ANY) STRICT; PRAGMA user_version = 99", to: "work")
        let file = URL(fileURLWithPath: fixture.path("work"))
        let before = try Data(contentsOf: file)
        for use in [
            { _ = try keychain.header() }, { _ = try keychain.condition() }, { _ = try fixture.unlock(keychain) },
            { _ = try keychain.accountsUnverified("svc", fixture.custodian) },
        ] as [() throws -> Void] {
            do {
                try use()
                Issue.record("it was opened")
            } catch let error as KeychainError {
                #expect(error.status == .notAvailable && error.cause == .newerFormat)
                #expect(error.reason.contains("newer version of this software (format 99)"))
            }
        }
        #expect(try Data(contentsOf: file) == before)
        #expect(try fixture.names() == ["work.keychain-db"] && fixture.ours().isEmpty)
    }

    /// An update needs only the attributes. A row whose attributes cannot be verified is set aside.
    @Test func anUpdateReplacesASecretThatCannotBeOpened() throws {
        let keychain = try fixture.made("work")
        for account in ["anna", "bert"] { try keychain.add("svc", account, "s3cret") }
        try fixture.lock(keychain)
        try fixture.write(
            "UPDATE items SET secret = zeroblob(length(secret)) WHERE instr(metadata, 'anna') > 0;"
                + "UPDATE items SET metadata = CAST(replace(metadata, x'62657274', x'62657275') AS BLOB) WHERE instr(metadata, 'bert') > 0",
            to: "work")
        try fixture.unlock(keychain)
        var change = ItemChange()
        change.secret = SecretBytes("new".utf8)
        for (account, isThere) in [("anna", true), ("bert", false), ("beru", false)] {
            var query = ItemQuery(itemClass: .genericPassword)
            query.attributes[.account] = .text(account)
            let request = try ChangeRequest.sample()
            let result = Result { () throws(KeychainError) in
                try keychain.store().update(query, change, groups: [FileKeychain.group], request: request)
            }
            if case .failure(let error) = result { #expect(!isThere && error.status == .itemNotFound, "\(error)") }
            #expect(try keychain.secret("svc", account) == (isThere ? "new" : nil))
        }
    }

    @Test func secretsAreNowhereInTheFile() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "a secret that would be found")
        try fixture.lock(keychain)
        let content = try Data(contentsOf: URL(fileURLWithPath: fixture.path("work")))
        #expect(content.range(of: Data("example.org".utf8)) != nil)
        #expect(content.range(of: Data("a secret that would be found".utf8)) == nil)
    }
}
