import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// A keychain in one file does what its user expects, from its creation to its deletion.
@Suite struct FileKeychainTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    @Test func whatIsStoredIsFoundAfterLockingAndUnlocking() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "s3cret")
        #expect(try keychain.secret("example.org", "anna") == "s3cret")
        #expect(try fixture.lock(keychain))
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try keychain.store() }
        #expect(try fixture.unlock(keychain) == .unlocked)
        #expect(try keychain.secret("example.org", "anna") == "s3cret")
    }

    @Test func lockedItIsOneFileAndNothingBesides() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "s3cret")
        #expect(try fixture.links("work") == 2)
        #expect(try fixture.names() == ["work.keychain-db"])
        try fixture.lock(keychain)
        #expect(try fixture.names() == ["work.keychain-db"])
        #expect(try fixture.links("work") == 1)
        #expect(try fixture.ours().isEmpty)
    }

    @Test func aCopyOpensOnAnotherMachine() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "s3cret")
        try fixture.lock(keychain)
        try FileManager.default.copyItem(atPath: fixture.path("work"), toPath: fixture.path("mailed"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.path("mailed"))
        let copy = fixture.keychain("mailed", places: fixture.places("other"))
        #expect(try fixture.unlock(copy) == .unlocked)
        #expect(try copy.secret("example.org", "anna") == "s3cret")
        #expect(fixture.events.withLock { $0.isEmpty }, "\(fixture.events.withLock { $0 })")
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path("mailed"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aWrongPasswordChangesNothing() throws {
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path("work")))
        #expect(try fixture.unlock(keychain, "wrong") == .wrongPassword)
        #expect(!keychain.isUnlocked)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path("work"))) == before)
        #expect(try fixture.ours().isEmpty)
    }

    @Test func anUnlockedOneStaysSoWhateverThePassword() throws {
        let keychain = try fixture.made("work")
        #expect(try fixture.unlock(keychain, "wrong") == .unlocked)
    }

    @Test func namesAreReadWhileItIsLocked() throws {
        let keychain = try fixture.made("work")
        for account in ["anna", "bert"] { try keychain.add("example.org", account, "s3cret") }
        try keychain.add("example.com", "carl", "s3cret")
        try fixture.lock(keychain)
        #expect(try keychain.accountsUnverified("example.org", fixture.custodian) == ["anna", "bert"])
        #expect(try fixture.names() == ["work.keychain-db"])
    }

    @Test func whereOneIsNoOtherIsMade() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "s3cret")
        let status = KeychainError(cause: .request, status: .duplicateKeychain, "")
        #expect(throws: status) { try fixture.made("work") }
        #expect(try keychain.secret("example.org", "anna") == "s3cret")
        #expect(try fixture.ours().count == 1)
    }

    @Test func whatIsMissingOrNoKeychainHasApplesStatus() throws {
        func status(_ name: String) throws -> Status? {
            do throws(KeychainError) {
                _ = try fixture.keychain(name).header()
                return nil
            } catch { return error.status }
        }
        #expect(try status("nothing") == .noSuchKeychain)
        for (name, content) in [
            ("zero", Data()), ("text", Data("no keychain at all, but a letter".utf8)),
            ("sqlite", Data("SQLite format 3\0".utf8) + Data(repeating: 0, count: 5000)),
        ] {
            try content.write(to: URL(fileURLWithPath: fixture.path(name)))
            #expect(try status(name) == .invalidKeychain, "\(name)")
        }
        mkfifo(fixture.path("pipe"), 0o600)
        #expect(try status("pipe") == .invalidKeychain)
        _ = try fixture.made("work")
        symlink(fixture.path("work"), fixture.path("link"))
        #expect(try status("link") == .invalidKeychain)
        #expect(throws: KeychainError(cause: .missing, status: .noSuchKeychain, "")) {
            try fixture.keychain("no/folder").create(fixture.custodian.make("x"))
        }
    }

    /// A file without the ending has no keychain's name, so it must not pass for the keychain of that name.
    @Test func oneWithoutTheEndingIsNamedAndNotOpened() throws {
        let keychain = try fixture.made("work")
        try fixture.lock(keychain)
        try FileManager.default.moveItem(atPath: fixture.path("work"), toPath: String(fixture.path("work").dropLast(3)))
        do throws(KeychainError) {
            _ = try keychain.header()
            Issue.record("it was opened")
        } catch {
            #expect(error.status == .noSuchKeychain && error.cause == .missing)
            #expect(error.reason.hasSuffix("end in -db: rename it to work.keychain-db"))
        }
        #expect(try fixture.names() == ["work.keychain"])
        _ = try fixture.made("work")
        #expect(try fixture.names() == ["work.keychain", "work.keychain-db"])
    }

    @Test func deletingTakesEverythingAlong() throws {
        let keychain = try fixture.made("work")
        try keychain.add("example.org", "anna", "s3cret")
        _ = try keychain.store().takeSnapshot(.request)
        try keychain.delete(fixture.custodian.forget)
        #expect(try fixture.names().isEmpty)
        #expect(try fixture.ours().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/open-marks").isEmpty)
        #expect(throws: KeychainError(cause: .missing, status: .noSuchKeychain, "")) {
            try fixture.unlock(keychain)
        }
    }
}
