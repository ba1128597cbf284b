import ChatelaineModel
import EnclaveProtocol
import Foundation
import GRDBSQLite
import InProcess
import TestSupport
import Testing

@testable import FileKeychains

/// A keychain whose keys the real custodian holds opens with its own password alone.
@Suite struct KeychainCustodyTests {
    let folder: TemporaryFolder
    let home: InProcessHome

    init() throws {
        folder = try TemporaryFolder()
        home = InProcessHome(folder.path, time: 800_000_000)
    }

    private func keychain(_ name: String, on machine: String = "this") -> FileKeychain {
        FileKeychain(
            "\(folder.path)/\(name).keychain-db",
            places: FileKeychainPlaces(
                stores: "\(folder.path)/\(machine)/stores", marks: "\(folder.path)/\(machine)/marks"),
            keys: home.keychainKeys)
    }

    private func unlock(_ keychain: FileKeychain, _ password: String) throws -> FileKeychain.Unlocking {
        try keychain.unlock { (_, header) throws(KeychainError) in try home.unlockKeychain(header, password) }
    }

    @Test func thePasswordAloneOpensIt() throws {
        let keychain = keychain("work")
        try keychain.create(try home.keychainMaker("correct horse"))
        try keychain.add("svc", "anna", "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try keychain.store() }
        #expect(try unlock(keychain, "battery staple") == .wrongPassword)
        #expect(try unlock(keychain, "correct horse") == .unlocked)
        #expect(try keychain.secret("svc", "anna") == "s3cret")
    }

    @Test func aLockedOneIsFoundByItsNames() throws {
        let keychain = keychain("work")
        try keychain.create(try home.keychainMaker("correct horse"))
        try keychain.add("svc", "anna", "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text("svc")
        query.returns = [.attributes]
        let found = try keychain.findUnverified(query) { (header) throws(KeychainError) in
            try KeychainHeader(decoding: header, path: keychain.path).indexKey
        }
        #expect(found.map { $0.attributes[.account] } == [.text("anna")])
    }

    @Test func anotherPasswordTakesThePlaceOfTheOldOneInTheFileAlone() throws {
        let keychain = keychain("work")
        try keychain.create(try home.keychainMaker("old"))
        try keychain.add("svc", "anna", "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        try FileManager.default.copyItem(
            atPath: keychain.path, toPath: "\(folder.path)/copy.keychain-db")
        #expect(try unlock(keychain, "old") == .unlocked)
        try keychain.replaceHeader(try home.changeKeychain(try keychain.header().header, "old", to: "new"))
        #expect(try keychain.secret("svc", "anna") == "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        #expect(try unlock(keychain, "old") == .wrongPassword)
        #expect(try unlock(keychain, "new") == .unlocked)
        #expect(try keychain.secret("svc", "anna") == "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        // A copy from before the change of password still opens with the old one.
        let copy = self.keychain("copy", on: "other")
        #expect(try unlock(copy, "old") == .unlocked)
        #expect(try copy.secret("svc", "anna") == "s3cret")
    }

    @Test func aDamagedFileIsSavedWithTheHeaderThatWasRemembered() throws {
        let keychain = keychain("work")
        try keychain.create(try home.keychainMaker("correct horse"))
        for index in 0..<100 { try keychain.add("svc", "\(index)", "secret \(index)") }
        keychain.lock(home.keychainKeys.closeStore)
        let file = try #require(FileHandle(forUpdatingAtPath: keychain.path))
        try file.write(contentsOf: Data(repeating: 7, count: 4096))
        try file.close()
        #expect(try unlock(keychain, "wrong") == .wrongPassword)
        #expect(try unlock(keychain, "correct horse") == .unlocked)
        while try keychain.store().continueRecovery() {}
        for index in 0..<100 { #expect(try keychain.secret("svc", "\(index)") == "secret \(index)") }
    }

    /// The checksum tells a garbled header from a wrong password, and the file gets the copy.
    @Test func aGarbledHeaderIsReplacedByTheOneThatWasRemembered() throws {
        let keychain = keychain("work")
        try keychain.create(try home.keychainMaker("correct horse"))
        try keychain.add("svc", "anna", "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        let header = try keychain.header().header
        try write("UPDATE properties SET value = CAST(value || x'00' AS BLOB) WHERE id = 1", to: keychain.path)
        #expect(try self.keychain("work", on: "other").header().header != header)
        #expect(try keychain.header().header == header)
        #expect(try unlock(keychain, "wrong") == .wrongPassword)
        #expect(try unlock(keychain, "correct horse") == .unlocked)
        #expect(try keychain.secret("svc", "anna") == "s3cret")
        keychain.lock(home.keychainKeys.closeStore)
        // Another machine, which remembers nothing, reads it from the file again.
        #expect(try self.keychain("work", on: "other").header().header == header)
        // Where no copy is sound, the header of the file is the one that is told about.
        try write("UPDATE properties SET value = x'00' WHERE id = 1", to: keychain.path)
        #expect(try self.keychain("work", on: "other").header().header == [0])
    }

    private func write(_ sql: String, to path: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_exec(handle, "PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil)
    }
}
