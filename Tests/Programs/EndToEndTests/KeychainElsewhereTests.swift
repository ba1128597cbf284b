import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of keychains in foreign folders, through the real daemons.
///
/// The client opens the file, and securityd writes to no other.
@Suite struct KeychainElsewhereTests {
    private let household: Household
    private let folder: String

    init() throws {
        household = try Household()
        folder = "\(household.home)/build"
        try #require(mkdir(folder, 0o755) == 0)
    }

    private func status(_ body: () throws -> Void) -> Status? {
        do { try body() } catch { return (error as? KeychainError)?.status }
        return nil
    }

    private func names() -> [String] { household.names(in: "build") }

    private func ask(_ probe: ProbeProcess, _ call: String, _ path: String, _ more: [String: Any] = [:]) throws
        -> ProbeAnswer
    {
        try probe.ask(["call": call, "path": path, "account": "ada"].merging(more) { $1 })
    }

    private func kill() throws {
        let daemon = try #require(household.daemonPID)
        try #require(Glibc.kill(daemon, SIGKILL) == 0)
        household.dismiss()
    }

    @Test func itIsMadeLockedUnlockedAndDeleted() throws {
        let path = "\(folder)/ci.keychain-db"
        #expect(try household.create(path) == .done)
        #expect(try household.bits(path) == 7)
        #expect(status { try household.create(path) } == .duplicateKeychain)
        #expect(try household.change(path, "right", "new") == .done)
        try household.lock(path)
        #expect(try household.bits(path) == 6)
        #expect(names() == ["ci.keychain-db"] && household.checkedOut == [])
        #expect(try household.unlock(path, "right") == .wrong)
        #expect(try household.unlock(path, "new") == .done)
        try household.set(path, interval: 600)
        #expect(try household.settings(path).lockInterval == 600)
        try household.delete(path)
        #expect(names() == [] && household.names(in: "data/file-keychains") == [])
        #expect(household.names(in: "state/file-keychains") == [])
        #expect(status { _ = try household.unlock(path) } == .noSuchKeychain)
        #expect(status { _ = try household.create("\(folder)/none/ci") } == .noSuchKeychain)
    }

    /// A mistyped name, or an empty variable of a script, must not cost a document.
    @Test func onlyAKeychainIsDeleted() throws {
        let path = "\(folder)/thesis"
        for content in ["my thesis", "SQLite format 3\0" + String(repeating: "\0", count: 100), "Chky"] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            #expect(status { try household.delete(path) } == .invalidKeychain)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(content.utf8))
        }
        // What a creation leaves that was cut off, and what a torn write leaves.
        for content in ["", "Chkw" + String(repeating: "t", count: 12)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            try household.delete(path)
            #expect(names() == [])
        }
    }

    /// What was a keychain here is deleted with a damaged head, too.
    @Test func aDamagedHeadKeepsNobodyFromDeletingIt() throws {
        let own = try household.path("own.keychain")
        let known = "\(folder)/known.keychain-db"
        let copy = "\(folder)/copy.keychain-db"
        func garble(_ path: String) throws {
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 200))
            try file.close()
        }
        func searched() throws -> [String] { try household.client.read(.searchList, of: .user) }
        for path in [own, known] { #expect(try household.create(path) == .done) }
        // The file on the disk is what a person sees; an open keychain is written back by the next lock.
        try garble(known)
        #expect(status { try household.delete(known) } == .invalidKeychain)
        for path in [own, known] { try household.lock(path) }
        try FileManager.default.copyItem(atPath: known, toPath: copy)
        try household.give(copy)
        for path in [own, known, copy] { try garble(path) }
        try household.client.set(.searchList, of: .user, to: [own, known, copy])
        // No keychain was ever open there: the file may be anything, and nobody has to search it.
        #expect(status { try household.delete(copy) } == .invalidKeychain)
        #expect(try searched() == [own, known] && names().contains("copy.keychain-db"))
        for path in [own, known] { try household.delete(path) }
        #expect(try searched() == [] && names() == ["copy.keychain-db"])
        #expect(!FileManager.default.fileExists(atPath: own))
        for path in [own, known] { #expect(try household.create(path) == .done) }
    }

    @Test func itsItemsAreUsedAndSurviveTheEndOfADaemon() throws {
        let path = "\(folder)/ci.keychain-db"
        let keeper = try household.probe()
        #expect(try household.create(path) == .done)
        #expect(try ask(keeper, "file-add", path, ["secret": "s3cret"]).status == 0)
        try kill()
        #expect(try ask(keeper, "file-names", path).status == 0, "from our copy")
        #expect(try ask(keeper, "file-find", path, ["ui": "fail"]).status == -25293, "locked")
        #expect(try household.unlock(path) == .done)
        #expect(try ask(keeper, "file-find", path).result as? String == "s3cret")
        try household.lock(path)
        #expect(household.checkedOut == [])
        #expect(try ask(keeper, "file-names", path).status == 0, "from the file")
        // The call allows a dialog, but no person can be asked.
        #expect(try ask(keeper, "file-find", path).status == -25308)
    }

    /// A snapshot also replaces a locked keychain if the passcode proves the person; the client lends the file again.
    @Test func aSnapshotTakesItsPlace() throws {
        let path = "\(folder)/ci.keychain-db"
        let keeper = try household.probe()
        #expect(try household.create(path) == .done)
        #expect(try ask(keeper, "file-add", path, ["secret": "early"]).status == 0)
        let name = try #require(try household.client.snapshots(.take(keychain: path)).first).name
        #expect(try ask(keeper, "file-update", path, ["secret": "late"]).status == 0)
        #expect(try household.change(path, "right", "new") == .done)
        try household.lock(path)
        #expect(
            status { _ = try household.client.snapshots(.restore(name: name, keychain: path)) }
                == .interactionNotAllowed)
        try household.passcode(.set, Household.passcode)
        let passcode = SecretBytes(Array(Household.passcode.utf8))
        let restored = try household.client.snapshots(.restore(name: name, keychain: path), passcode: passcode)
        #expect(restored.first?.replaced?.hasPrefix("\(household.home)/data/file-keychains/") == true)
        #expect(names() == ["ci.keychain-db"])
        #expect(try household.unlock(path, "new") == .wrong)
        #expect(try household.unlock(path) == .done)
        #expect(try ask(keeper, "file-find", path).result as? String == "early")
        // An open keychain's file is already lent.
        #expect(
            try household.client.snapshots(.restore(name: name, keychain: path), passcode: passcode).first?.name
                == name)
        #expect(try household.bits(path) == 6)
    }

    /// A lost folder makes securityd write nowhere else, and the keychain's keys are forgotten all the same.
    @Test func aFolderThatIsRemovedMeanwhile() throws {
        let path = "\(folder)/ci.keychain-db"
        #expect(try household.create(path) == .done)
        try FileManager.default.removeItem(atPath: folder)
        #expect(status { _ = try household.bits(path) } == .noSuchKeychain)
        #expect(status { _ = try household.unlock(path) } == .noSuchKeychain)
        try household.lock(path)
        #expect(access(folder, F_OK) != 0)
        try #require(mkdir(folder, 0o755) == 0)
        #expect(try household.create(path, "other") == .done)
        try household.lock(path)
        #expect(try household.unlock(path, "other") == .done)
    }

    @Test func anotherFileInItsPlaceMakesRoomForANewOne() throws {
        let path = "\(folder)/ci.keychain-db"
        #expect(try household.create(path) == .done)
        try #require(rename(path, "\(folder)/moved") == 0)
        #expect(try household.create(path, "other") == .done)
        try household.lock(path)
        #expect(try household.unlock(path, "other") == .done)
        #expect(try household.unlock("\(folder)/moved") == .done, "what was moved went on where it was")
    }

    @Test func whatIsNoKeychainElsewhere() throws {
        let path = "\(folder)/real"
        #expect(try household.create(path) == .done)
        try household.lock(path)
        try #require(mkfifo("\(folder)/pipe", 0o600) == 0)
        try #require(symlink(path, "\(folder)/link") == 0)
        try #require(mkdir("\(folder)/folder", 0o700) == 0)
        try Data().write(to: URL(fileURLWithPath: "\(folder)/nothing"))
        try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder)/text"))
        for name in ["pipe", "link", "folder", "nothing", "text"] {
            #expect(status { _ = try household.unlock("\(folder)/\(name)") } == .invalidKeychain, "\(name)")
        }
        #expect(status { _ = try household.unlock("/dev/null") } == .invalidKeychain)
        try #require(link(path, "\(folder)/second") == 0)
        #expect(status { _ = try household.unlock(path) } == .invalidKeychain)
        try #require(unlink("\(folder)/second") == 0)
        try #require(chmod(folder, 0o777) == 0)
        #expect(status { _ = try household.unlock(path) } == .invalidKeychain)
        #expect(status { _ = try household.create("\(folder)/new") } == .invalidKeychain)
        #expect(access("\(folder)/new", F_OK) != 0, "what was made is removed")
        try #require(chmod(folder, 0o1777) == 0)
        #expect(try household.unlock(path) == .done)
        #expect(try String(contentsOfFile: "\(folder)/text", encoding: .utf8) == "text")
    }

    /// A client must not lend securityd its own files: securityd may write to them, so a caller could make it do so.
    @Test func filesOfOurOwnAreNone() throws {
        _ = try household.create("first")
        let store = "\(household.store)/items.db"
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for path in [store, "\(household.home)/data/daemon.lock", "\(household.home)/state/settings"] {
            #expect(status { _ = try household.unlock(path) } != nil, "\(path)")
        }
        for name in ["data/stores/x-db", "data/keychains/sub/x-db", "state/x", "run/x"] {
            try? FileManager.default.createDirectory(
                atPath: "\(household.home)/data/keychains/sub", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            #expect(status { _ = try household.create("\(household.home)/\(name)") } == .invalidKeychain, "\(name)")
            #expect(access("\(household.home)/\(name)", F_OK) != 0)
        }
        try #require(symlink("\(household.home)/data/stores", "\(folder)/way") == 0)
        #expect(status { _ = try household.create("\(folder)/way/x") } == .invalidKeychain)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func sixteenAreUnlockedAtATime() throws {
        for number in 1...16 { #expect(try household.create("\(folder)/\(number)") == .done) }
        #expect(status { _ = try household.create("\(folder)/17") } == .notAvailable)
        #expect(names().count == 16)
        try household.lock("\(folder)/3")
        #expect(try household.create("\(folder)/17") == .done)
        #expect(status { _ = try household.unlock("\(folder)/3") } == .notAvailable)
        // Keychains in our own folder do not count.
        #expect(try household.create("own") == .done)
    }

    /// Each home counts as a machine of its own.
    @Test func twoDaemonsDoNotOpenOneFile() throws {
        let path = "\(folder)/ci"
        #expect(try household.create(path) == .done)
        let other = try Household()
        #expect(status { _ = try other.unlock(path) } == .notAvailable)
        try household.lock(path)
        #expect(try other.unlock(path) == .done)
        #expect(status { _ = try household.unlock(path) } == .notAvailable)
    }
}
