import ChatelaineModel
import GRDBSQLite
import Glibc
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Whoever reads during a lock keeps the file from being checked in.
extension KeychainTroubleTests {
    /// Makes a keychain with an item, and locks it while somebody reads; returns the reader, for `sqlite3_close`.
    private func lockedWhileRead() throws -> (keychain: FileKeychain, reader: OpaquePointer?) {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "first", "1")
        let database = FileCheckOut(places: fixture.places, keychain: try keychain.store().identifier).database
        var reader: OpaquePointer?
        try #require(sqlite3_open(database, &reader) == SQLITE_OK)
        try #require(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM sqlite_schema", nil, nil, nil) == SQLITE_OK)
        #expect(try !fixture.lock(keychain))
        return (keychain, reader)
    }

    /// It must not be checked in once it is open again.
    @Test func aLockThatIsNotOverEndsWithTheNextUnlock() throws {
        let (keychain, reader) = try lockedWhileRead()
        #expect(try fixture.unlock(keychain) == .unlocked)
        try keychain.add("svc", "second", "2")
        sqlite3_close(reader)
        #expect(try fixture.unlock(keychain) == .unlocked)
        #expect(try fixture.lock(keychain))
        let again = fixture.keychain("work")
        try fixture.unlock(again)
        #expect(try [again.secret("svc", "first"), again.secret("svc", "second")] == ["1", "2"])
    }

    /// `security reset-keychains` renames the login keychain and makes another at its path, whoever reads meanwhile.
    @Test func aLockThatIsNotOverEndsWithTheNextCreation() throws {
        let (keychain, reader) = try lockedWhileRead()
        #expect(rename(fixture.path("work"), fixture.path("former")) == 0)
        try keychain.create(fixture.custodian.make(KeychainFixture.password))
        sqlite3_close(reader)
        #expect(try fixture.lock(keychain))
        let former = fixture.keychain("former")
        #expect(try fixture.unlock(former) == .unlocked)
        #expect(try former.secret("svc", "first") == "1")
    }
}
