import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Keychains in other folders are worked on in a copy, which is written back into the lent file.
@Suite struct LentKeychainTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    private func status(_ body: () throws -> Void) throws -> Status? {
        do { try body() } catch let error as KeychainError { return error.status }
        return nil
    }

    @Test func itIsMadeUsedLockedAndUnlocked() throws {
        let keychain = try fixture.madeElsewhere("ci")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        #expect(try fixture.lock(keychain))
        #expect(try fixture.names() == ["ci.keychain-db"])
        #expect(try fixture.ours().isEmpty)
        #expect(try keychain.accountsUnverified("svc", fixture.custodian).count == 40)
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci"), "wrong") == .wrongPassword)
        #expect(try fixture.ours().isEmpty)
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci")) == .unlocked)
        for index in 0..<40 { #expect(try keychain.secret("svc", "\(index)") == "secret \(index)") }
        try fixture.lock(keychain)
        #expect(fixture.said() == "")
    }

    @Test func withoutItsFileItIsNotUnlocked() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try fixture.lock(keychain)
        #expect(throws: KeychainError(.notAvailable, "")) { try fixture.unlock(keychain) }
        do { try fixture.unlock(keychain) } catch let error as KeychainError { #expect(error.cause == .needsFile) }
    }

    /// A closed file elsewhere has the same form as one in securityd's own folder.
    @Test func itsFileIsAnOrdinaryKeychain() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "s3cret")
        try fixture.lock(keychain)
        let here = fixture.keychain("ci", places: fixture.places("other"))
        try fixture.unlock(here)
        #expect(try here.secret("svc", "anna") == "s3cret")
        try here.add("svc", "bert", "2")
        try fixture.lock(here)
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        #expect(try keychain.secret("svc", "bert") == "2")
    }

    // MARK: The end of a daemon

    @Test func whatWasAcknowledgedIsThereAfterACrash() throws {
        let keychain = try fixture.madeElsewhere("ci")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        let after = try fixture.copiedInPlace()
        let again = after.elsewhere("ci")
        #expect(try again.accountsUnverified("svc", after.custodian).count == 40)
        try after.unlock(again, lent: after.lend("ci"))
        for index in 0..<40 { #expect(try again.secret("svc", "\(index)") == "secret \(index)") }
        try after.lock(again)
        #expect(try after.ours().isEmpty)
        #expect(after.said() == "")
    }

    @Test func aFileThatWasTornIsWrittenAnew() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "s3cret")
        let token = try #require(try LentRecord.all(fixture.places).first).token
        let after = try fixture.copiedInPlace()
        var bytes = try after.bytes("ci")
        bytes.replaceSubrange(0..<16, with: Array("Chkw".utf8) + token.bytes)
        bytes.replaceSubrange(4096..<8192, with: Data(repeating: 7, count: 4096))
        try after.write(bytes, over: "ci")
        let again = after.elsewhere("ci")
        try after.unlock(again, lent: after.lend("ci"))
        #expect(try again.secret("svc", "anna") == "s3cret")
        try after.lock(again)
        #expect(try after.read("SELECT count(*) FROM items", from: "ci") == ["1"])
        #expect(after.said() == "")
    }

    /// A torn file still opens on a machine without the working copy.
    ///
    /// Everything whole in it is recovered, and the keychain reports that changes may be missing.
    @Test func aTornFileIsSavedOnAnotherMachine() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "s3cret")
        try fixture.lock(keychain)
        var bytes = try fixture.bytes("ci")
        bytes.replaceSubrange(0..<16, with: Array("Chkw".utf8) + CheckOutToken().bytes)
        try fixture.write(bytes, over: "ci")
        let other = fixture.elsewhere("ci", places: fixture.places("other"))
        #expect(try status { _ = try other.condition() } == .invalidKeychain)
        try fixture.unlock(other, lent: fixture.lend("ci"))
        #expect(fixture.said().contains("copied while it was open"))
        #expect(try other.secret("svc", "anna") == "s3cret")
        try fixture.lock(other)
        #expect(try fixture.read("SELECT count(*) FROM items", from: "ci") == ["1"])
    }

    /// Somebody who puts a backup over the file wants the backup. Changes that were not written back are kept aside.
    @Test func aFileThatWentOnWithoutUsIsTakenAsItIs() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "first", "1")
        try fixture.lock(keychain)
        let backup = try fixture.bytes("ci")
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        try keychain.add("svc", "second", "2")
        let after = try fixture.copiedInPlace()
        try after.write(backup, over: "ci")
        let again = after.elsewhere("ci")
        try after.unlock(again, lent: after.lend("ci"))
        #expect(try again.secret("svc", "first") == "1")
        #expect(try again.secret("svc", "second") == nil)
        #expect(try after.quarantined() == 1)
    }

    @Test func aCopySaysThatItWasTakenWhileItWasOpen() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        try fixture.copy("ci", to: "copy")
        let copy = fixture.elsewhere("copy", places: fixture.places("other"))
        #expect(try copy.condition().mayLackChanges)
        try fixture.unlock(copy, lent: fixture.lend("copy"))
        #expect(fixture.said().contains("copied while it was open"))
    }

    @Test func aCopyWaitsForTheOneThatACrashLeftOpen() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        let after = try fixture.copiedInPlace()
        try after.copy("ci", to: "copy")
        let copy = after.elsewhere("copy")
        #expect(try status { try after.unlock(copy, lent: after.lend("copy")) } == .notAvailable)
        let again = after.elsewhere("ci")
        try after.unlock(again, lent: after.lend("ci"))
        #expect(try again.secret("svc", "anna") == "1")
        try after.lock(again)
        try after.unlock(copy, lent: after.lend("copy"))
    }

    // MARK: What others do meanwhile

    @Test func anotherSecuritydIsRefusedWhileItIsOpen() throws {
        let keychain = try fixture.madeElsewhere("ci")
        let other = fixture.elsewhere("ci", places: fixture.places("other"))
        #expect(try status { try fixture.unlock(other, lent: fixture.lend("ci")) } == .notAvailable)
        try fixture.lock(keychain)
        #expect(try fixture.unlock(other, lent: fixture.lend("ci")) == .unlocked)
    }

    @Test func oneThatIsRemovedMeanwhileIsKeptInTheQuarantine() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        try FileManager.default.removeItem(atPath: fixture.path("ci"))
        #expect(try status { _ = try keychain.condition() } == .noSuchKeychain)
        #expect(try status { try keychain.add("svc", "bert", "2") } == .noSuchKeychain)
        #expect(try fixture.lock(keychain))
        #expect(try fixture.names().isEmpty)
        #expect(try fixture.quarantined() == 1)
    }

    @Test func oneThatIsExchangedMeanwhileIsNotWrittenTo() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        try fixture.copy("ci", to: "copy")
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        try keychain.add("svc", "bert", "2")
        let copied = try fixture.bytes("copy")
        #expect(rename(fixture.path("copy"), fixture.path("ci")) == 0)
        #expect(try status { _ = try keychain.condition() } == .invalidKeychain)
        try fixture.lock(keychain)
        #expect(try fixture.bytes("ci") == copied)
        #expect(try fixture.quarantined() == 1)
    }

    /// The program that lent the file may keep its descriptor, and a process that was just forked has a copy.
    @Test func aCopyOfTheDescriptorKeepsNoLock() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try fixture.lock(keychain)
        let place = "\(fixture.folder.path)/keychains"
        let number = open(fixture.path("ci"), O_RDWR | O_CLOEXEC)
        let copy = Descriptor(dup(number))
        func lent() throws -> LentFile {
            try LentFile(
                file: Descriptor(number), folder: Descriptor(open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                path: fixture.path("ci"))
        }
        #expect(try fixture.unlock(keychain, lent: lent()) == .unlocked)
        #expect(try fixture.lock(keychain))
        #expect(try fixture.unlock(keychain, lent: fixture.lend("ci")) == .unlocked)
        #expect(fcntl(copy.number, F_GETFD) >= 0)
    }

    /// Whoever has made the file removes it where it is empty.
    @Test func aCreationThatFailsLeavesNothingInTheFile() throws {
        let looks = Counter()
        var places = fixture.places
        places = FileKeychainPlaces(stores: places.stores, marks: places.marks) { (path) throws(KeychainError) in
            // The last look comes before the file is announced as open.
            guard looks.next() < 3 else { throw KeychainError(.ioError, "the disk failed") }
            return try KeychainFile.identity(at: path)
        }
        let keychain = fixture.elsewhere("ci", places: places)
        #expect(throws: KeychainError(.ioError, "")) {
            try keychain.create(
                in: fixture.lend("ci", O_RDWR | O_CREAT | O_EXCL), fixture.custodian.make(KeychainFixture.password))
        }
        #expect(try fixture.bytes("ci").isEmpty && looks.next() > 2)
        _ = try fixture.elsewhere("ci").create(
            in: fixture.lend("ci"), fixture.custodian.make(KeychainFixture.password))
    }

    /// The moved file is the same file and stays in use. Nothing is made at its old path.
    @Test func aFolderThatIsMovedMeanwhileTakesItAlong() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        let (old, new) = ("\(fixture.folder.path)/keychains", "\(fixture.folder.path)/moved")
        #expect(rename(old, new) == 0)
        #expect(try status { _ = try keychain.store() } == .noSuchKeychain)
        #expect(try fixture.lock(keychain))
        #expect(!FileManager.default.fileExists(atPath: old))
        #expect(rename(new, old) == 0)
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        #expect(try keychain.secret("svc", "anna") == "1")
    }

    @Test func oneThatItsOwnerTruncatesMeanwhileIsWholeAgainAfterwards() throws {
        let keychain = try fixture.madeElsewhere("ci")
        for index in 0..<200 { try keychain.add("svc", "\(index)", String(repeating: "x", count: 400)) }
        #expect(truncate(fixture.path("ci"), 5000) == 0)
        #expect(try fixture.lock(keychain))
        #expect(try fixture.read("PRAGMA integrity_check", from: "ci") == ["ok"])
        #expect(try fixture.read("SELECT count(*) FROM items", from: "ci") == ["200"])
    }

    @Test func whatIsPlantedBesideItIsNotRead() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try keychain.add("svc", "anna", "1")
        try fixture.lock(keychain)
        for suffix in ["-wal", "-journal", "-shm"] {
            try Data(repeating: 1, count: 5000).write(to: URL(fileURLWithPath: fixture.path("ci") + suffix))
        }
        #expect(try keychain.accountsUnverified("svc", fixture.custodian) == ["anna"])
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        #expect(try keychain.secret("svc", "anna") == "1")
        try fixture.lock(keychain)
        for suffix in ["-wal", "-journal", "-shm"] {
            let planted = try Data(contentsOf: URL(fileURLWithPath: fixture.path("ci") + suffix))
            #expect(planted == Data(repeating: 1, count: 5000))
        }
    }

    @Test func damageIsRecoveredAndWrittenBack() throws {
        let keychain = try fixture.madeElsewhere("ci")
        for index in 0..<40 { try keychain.add("svc", "\(index)", "secret \(index)") }
        try fixture.lock(keychain)
        try fixture.garble(1...1, of: "ci")
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        #expect(try keychain.secret("svc", "7") == "secret 7")
        while try keychain.store().continueRecovery() {}
        try fixture.lock(keychain)
        #expect(try fixture.read("SELECT count(*) FROM items", from: "ci") == ["40"])
        try fixture.unlock(keychain, lent: fixture.lend("ci"))
        #expect(try keychain.secret("svc", "39") == "secret 39")
    }

    // MARK: What is no such file

    @Test func anEmptyFileIsNoKeychain() throws {
        _ = FileManager.default.createFile(atPath: fixture.path("ci"), contents: Data())
        let keychain = fixture.elsewhere("ci")
        #expect(try status { try fixture.unlock(keychain, lent: fixture.lend("ci")) } == .invalidKeychain)
        #expect(try fixture.bytes("ci").isEmpty)
        #expect(try fixture.ours().isEmpty)
    }

    @Test func oneIsMadeInAnEmptyFileAlone() throws {
        try Data("something of mine".utf8).write(to: URL(fileURLWithPath: fixture.path("ci")))
        let keychain = fixture.elsewhere("ci")
        let make = fixture.custodian.make("x")
        #expect(try status { try keychain.create(in: fixture.lend("ci"), make) } == .duplicateKeychain)
        #expect(try fixture.bytes("ci") == Data("something of mine".utf8))
    }

    @Test func whatIsLentIsLookedAt() throws {
        let keychain = try fixture.madeElsewhere("ci")
        try fixture.lock(keychain)
        let path = fixture.path("ci")
        #expect(try status { _ = try fixture.lend("ci", O_WRONLY) } == .invalidKeychain)
        #expect(try status { _ = try fixture.lend("ci", O_RDWR | O_APPEND) } == .invalidKeychain)
        #expect(try status { _ = try fixture.lend("ci", from: fixture.folder.path + "/keychains/.") } == nil)
        try #require(link(path, fixture.path("second")) == 0)
        #expect(try status { _ = try fixture.lend("ci") } == .invalidKeychain)
        try #require(unlink(fixture.path("second")) == 0)
        try #require(mkfifo(fixture.path("pipe"), 0o600) == 0)
        #expect(try status { _ = try fixture.lend("pipe") } == .invalidKeychain)
        let folder = "\(fixture.folder.path)/keychains"
        try #require(chmod(folder, 0o777) == 0)
        #expect(try status { _ = try fixture.lend("ci") } == .invalidKeychain)
        try #require(chmod(folder, 0o1777) == 0)
        #expect(try status { _ = try fixture.lend("ci") } == nil)
        // Another folder has another file of the same name.
        try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: false)
        try fixture.copy("ci", to: "other/ci")
        #expect(try status { _ = try fixture.lend("ci", from: folder + "/other") } == nil)
        let lent = try fixture.lend("ci", from: folder + "/other")
        #expect(try status { try fixture.unlock(keychain, lent: lent) } == .invalidKeychain)
    }
}

extension KeychainFixture {
    /// A copy of the fixture in its present state, as the next daemon finds it where this one is killed now.
    func copiedInPlace() throws -> KeychainFixture {
        let copy = try copiedAsOfNow()
        // The copied files have other inode numbers.
        for record in try LentRecord.all(copy.places) {
            let path = copy.folder.path + record.path.dropFirst(folder.path.count)
            let file = try #require(try KeychainFile.identity(at: path))
            var moved = LentRecord(keychain: record.keychain, token: record.token, file: file, path: path)
            moved.isAnnounced = record.isAnnounced
            try moved.write(copy.places)
        }
        return copy
    }
}
