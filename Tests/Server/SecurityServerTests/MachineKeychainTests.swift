import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Foundation
import Glibc
import StoreEngine
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// Two daemons handle the machine's keychains, in a folder of the test (behaviour/file-keychains.md).
@Suite struct MachineKeychainTests {
    private let folder: TemporaryFolder
    private let machine: MachineKeychains
    private let root: KeychainItemHome

    init() throws {
        folder = try TemporaryFolder()
        machine = MachineKeychains(folder.path)
        #expect(machine.makeFolders().count == 2)
        root = try KeychainItemHome(keychains: [], machine: machine)
    }

    private func other() throws -> KeychainItemHome {
        try KeychainItemHome(keychains: [], machine: MachineKeychains(folder.path, isServed: false))
    }

    private var path: String { "\(machine.folder)/System.keychain-db" }
    private var key: String { machine.key.path }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    private func accounts(_ home: KeychainItemHome) throws -> [String] {
        try home.find(nil, in: [path], returning: .attributes).map { item in
            guard case .text(let account)? = item.item.attributes[.account] else { return "none" }
            return account
        }.sorted()
    }

    @Test func itIsMadeAtFirstNeed() throws {
        #expect(FileIdentity(at: path) == nil)
        try root.add("ada", "secret", to: path)
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
        #expect(try mode(path) == 0o644)
        #expect(try mode(machine.folder) == 0o755)
        #expect(try mode(key) == 0o600)
        #expect(try mode(StoreFolder.parent(of: key)) == 0o700)
    }

    /// Any password is set aside where one opens it, so that none may count as the owner's.
    @Test func noPasswordProvesAnything() throws {
        let item = try root.add("ada", "secret", to: path)
        for password in ["wrong", ""] {
            #expect(throws: KeychainError(.wrPerm, "")) {
                _ = try root.setAccess(.open, of: item, password: password)
            }
        }
        #expect(try root.access(of: item).owner.subject != .any)
    }

    @Test func theKeyFileIsWholeOrNotThere() throws {
        // Signals interrupt the writes, and the device takes few bytes at a time.
        let calls = Mutex(0)
        var files = FileCalls.system
        files.write = { file, bytes throws(Errno) in
            if calls.withLock({
                $0 += 1; return $0 % 2 == 1
            }) {
                throw .interrupted
            }
            return try FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(5)))
        }
        try machine.key.make(files)
        var status = stat()
        #expect(lstat(key, &status) == 0 && status.st_size == Int64(MachineKey.byteCount))
        #expect(try mode(key) == 0o600)
        // Nobody may replace an existing key.
        let before = try Data(contentsOf: URL(fileURLWithPath: key))
        #expect(throws: KeychainError(.notAvailable, "")) { try machine.key.make() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == before)
        try FileManager.default.removeItem(atPath: key)
        files.write = { _, _ throws(Errno) in throw .noSpace }
        #expect(throws: KeychainError(.notAvailable, "")) { try machine.key.make(files) }
        #expect(TemporaryFolder.names(in: StoreFolder.parent(of: key)).allSatisfy { !$0.hasPrefix("system-key") })
    }

    @Test func itOpensByItself() throws {
        try root.add("ada", "secret", to: path)
        try root.lock(path)
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
        try root.services.fileKeychains.lockAll()
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
        let slot = try root.services.fileKeychains.path(path)
        for event in SystemEvent.allCases {
            try root.services.fileKeychains.lock(because: event)
            let isUnlocked = try root.services.fileKeychains.withKeychain(at: slot) {
                (keychain) throws(KeychainError) in try keychain.state().isUnlocked
            }
            #expect(isUnlocked, "\(event)")
        }
    }

    /// The name of the keychain leads to the path that programs know, and not to root's own file.
    @Test func itsNameLeadsToThePathThatProgramsKnow() throws {
        try root.add("ada", "secret", to: path)
        let name = try #require(try root.find("ada", in: [path], returning: .attributes).first).reference.keychain
        #expect(try root.services.fileKeychains.lastPath(of: name) == path)
        try root.lock(path)
        #expect(try root.services.fileKeychains.lastPath(of: name) == path)
        // Only a daemon that has opened the keychain remembers its path.
        #expect(try other().services.fileKeychains.lastPath(of: name) == nil)
        #expect(try root.services.fileKeychains.lastPath(of: StoreIdentifier()) == nil)
    }

    @Test func othersReadNamesAndNothingElse() throws {
        let other = try other()
        #expect(throws: KeychainError(.wrPerm, "")) { try other.add("eve", "x", to: path) }
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try accounts(other) }
        #expect(throws: KeychainError(.wrPerm, "")) { try other.create(path) }
        try root.add("ada", "secret", to: path)
        #expect(try accounts(other) == ["ada"])
        // Root has the keychain open, and each change is published.
        try root.add("bob", "secret", to: path)
        #expect(try accounts(other) == ["ada", "bob"])
        try root.delete("ada", in: [path])
        #expect(try accounts(other) == ["bob"])
        for ui in [AuthenticationUI.allow, .fail] {
            #expect(throws: KeychainError(.authFailed, "")) { try other.secrets("bob", in: [path], ui: ui) }
            #expect(throws: KeychainError(.wrPerm, "")) { try other.add("eve", "x", to: path, ui: ui) }
            #expect(throws: KeychainError(.wrPerm, "")) { try other.delete("bob", in: [path], ui: ui) }
        }
        #expect(throws: KeychainError(.authFailed, "")) { try other.unlock(path) }
        #expect(try other.find("bob", in: [path], returning: .attributes).allSatisfy { !$0.isVerified })
    }

    @Test func aNeighbourHoldsNothingUp() throws {
        try root.add("ada", "secret", to: path)
        let file = open(path, O_RDONLY)
        defer { close(file) }
        try #require(flock(file, LOCK_EX | LOCK_NB) == 0)
        var lock = Glibc.flock()
        lock.l_type = Int16(F_RDLCK)
        try #require(fcntl(file, F_SETLK, &lock) == 0)
        try root.add("bob", "secret", to: path)
        try root.lock(path)
        #expect(try root.secrets("bob", in: [path]) == ["secret"])
        #expect(try accounts(try other()) == ["ada", "bob"])
    }

    @Test func aKeyFileThatDoesNotCount() throws {
        try root.add("ada", "secret", to: path)
        func expectNothing(_ what: Comment) throws {
            try root.lock(path)
            #expect(throws: KeychainError(.notAvailable, ""), what) { try root.secrets("ada", in: [path]) }
            #expect(throws: KeychainError(.notAvailable, ""), what) { try root.add("bob", "x", to: path) }
            #expect(try accounts(root) == ["ada"], what)
        }
        try #require(chmod(key, 0o640) == 0)
        try expectNothing("others may read it")
        try #require(chmod(key, 0o600) == 0 && link(key, key + "2") == 0)
        try expectNothing("it has two names")
        try #require(unlink(key) == 0)
        try expectNothing("it is missing")
        #expect(FileIdentity(at: key) == nil)
        try #require(symlink(key + "2", key) == 0)
        try expectNothing("it is a link")
        try #require(unlink(key) == 0 && mkfifo(key, 0o600) == 0)
        try expectNothing("it is a pipe")
        try #require(unlink(key) == 0)
        try machine.key.make()
        try expectNothing("it is another one")
        try #require(rename(key + "2", key) == 0)
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
    }

    @Test func aPublishedCopyTakesThePlaceOfWhatIsLost() throws {
        try root.add("ada", "secret", to: path)
        try root.lock(path)
        try #require(unlink("\(StoreFolder.parent(of: key))/System.keychain-db") == 0)
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
    }

    @Test func aFileInThePlaceOfTheCopyIsKept() throws {
        try root.add("ada", "secret", to: path)
        try root.add("bob", "secret", to: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder) == ["System.keychain-db"])
        try #require(rename(path, folder.path + "/copy") == 0)
        try Data("a backup".utf8).write(to: URL(fileURLWithPath: path))
        try root.add("carl", "secret", to: path)
        #expect(try accounts(try other()) == ["ada", "bob", "carl"])
        let kept = try Data(contentsOf: URL(fileURLWithPath: machine.folder + "/System_replaced_1.keychain-db"))
        #expect(kept == Data("a backup".utf8))
        // With an unreadable record the copy looks like a foreign one, so it is kept as well.
        let record = StoreFolder.parent(of: key) + "/System.keychain-db.published"
        try Data([0xFF]).write(to: URL(fileURLWithPath: record))
        try root.add("dora", "secret", to: path)
        try root.add("eve", "secret", to: path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: machine.folder).sorted()
                == ["System.keychain-db", "System_replaced_1.keychain-db", "System_replaced_2.keychain-db"])
    }

    /// Removes the record of what is published, without which each file looks like somebody's.
    private func forgetWhatIsPublished() throws -> String {
        let record = StoreFolder.parent(of: key) + "/System.keychain-db.published"
        try #require(unlink(record) == 0)
        return record
    }

    /// Other users read the former copy where a publication fails, as on a full disk.
    @Test func whatCannotBeReplacedStays() throws {
        try root.add("ada", "secret", to: path)
        // A folder in the place of its draft keeps the record from being written.
        let draft = try forgetWhatIsPublished() + ".part"
        try #require(mkdir(draft, 0o700) == 0)
        try root.add("bob", "secret", to: path)
        #expect(try accounts(try other()) == ["ada"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder) == ["System.keychain-db"])
        try #require(rmdir(draft) == 0)
        try root.add("carl", "secret", to: path)
        #expect(try accounts(try other()) == ["ada", "bob", "carl"])
    }

    /// A publication was interrupted when it had given somebody's file a second name.
    @Test func anInterruptedPublicationIsMadeUpFor() throws {
        try root.add("ada", "secret", to: path)
        _ = try forgetWhatIsPublished()
        let name = "System_replaced_1.keychain-db"
        try #require(link(path, machine.folder + "/" + name) == 0)
        try root.add("bob", "secret", to: path)
        #expect(try accounts(try other()) == ["ada", "bob"])
        let names = try FileManager.default.contentsOfDirectory(atPath: machine.folder).sorted()
        #expect(names == ["System.keychain-db", name])
    }

    /// Every user's search list ends with the machine's keychain.
    @Test func aSearchOfTheListPassesItOver() throws {
        try root.add("ada", "secret", to: path)
        let other = try KeychainItemHome(machine: MachineKeychains(folder.path, isServed: false))
        try other.services.keychainPreferences.setSearchList([other.path("a"), path], of: .user)
        #expect(throws: KeychainError(.authFailed, "")) { try other.secrets("ada", in: []) }
        try other.add("ada", "own", to: "a")
        #expect(try other.secrets("ada", in: []) == ["own"])
        #expect(throws: KeychainError(.authFailed, "")) { try other.secrets("ada", in: ["a", path]) }
    }

    @Test func aFolderThatOthersMayChangeDoesNotCount() throws {
        try #require(chmod(machine.folder, 0o777) == 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try root.add("ada", "x", to: path) }
        try #require(chmod(machine.folder, 0o755) == 0 && rmdir(machine.folder) == 0)
        try #require(symlink("/tmp", machine.folder) == 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try root.add("ada", "x", to: path) }
    }

    @Test func oneDaemonServesThem() throws {
        try root.add("ada", "secret", to: path)
        let second = try KeychainItemHome(keychains: [], machine: MachineKeychains(folder.path))
        #expect(throws: KeychainError(.notAvailable, "")) { try second.add("bob", "x", to: path) }
        #expect(throws: KeychainError(.notAvailable, "")) { try second.secrets("ada", in: [path]) }
    }

    @Test func itIsDeletedAndMadeAnew() throws {
        try root.add("ada", "secret", to: path)
        try root.services.fileKeychains.withKeychain(at: try root.services.fileKeychains.path(path)) {
            (keychain) throws(KeychainError) in try keychain.delete()
        }
        #expect(FileIdentity(at: path) == nil && FileIdentity(at: key) != nil)
        try root.add("bob", "secret", to: path)
        #expect(try accounts(root) == ["bob"])
    }

    // MARK: Recovery

    /// A copy of a store that is being recovered would lack most of its items.
    @Test(arguments: [true, false]) func othersReadNoCopyThatLacksItems(_ isCopyThere: Bool) throws {
        let all = (0..<300).map { "account \($0)" }.sorted()
        for account in all { try root.add(account, "secret", to: path) }
        try root.lock(path)
        let file = open("\(StoreFolder.parent(of: key))/System.keychain-db", O_WRONLY | O_CLOEXEC)
        let garbage = [UInt8](repeating: 7, count: 4096)
        try #require(pwrite(file, garbage, garbage.count, 0) == garbage.count)
        close(file)
        if !isCopyThere { try #require(unlink(path) == 0) }
        #expect(try root.secrets(all[0], in: [path]) == ["secret"])
        let other = try other()
        if isCopyThere { #expect(try accounts(other) == all) }
        // The copy follows when the recovery is done, without another change.
        try until("the copy is there") { FileIdentity(at: path) != nil }
        #expect(try accounts(other) == all)
    }

    // MARK: Snapshots

    private func snapshots(_ command: SnapshotCommand, _ home: KeychainItemHome? = nil) throws -> [SnapshotRecord] {
        try (home ?? root).answer(PasscodeProtected(command, hasPasscode: false), as: .program("mail")) {
            (request, context) throws(KeychainError) in
            try StoreHandler.snapshots(request.command, nil, &context)
        }
    }

    /// A keychain with two items, and a snapshot from when it had one.
    private func grown() throws -> SnapshotRecord {
        try root.add("ada", "secret", to: path)
        let taken = try #require(try snapshots(.take(keychain: path)).first)
        try root.add("bob", "secret", to: path)
        return taken
    }

    @Test(arguments: [false, true]) func aSnapshotTakesItsPlace(_ isLockedBefore: Bool) throws {
        let taken = try grown()
        let (other, own) = (try other(), "\(StoreFolder.parent(of: key))/System.keychain-db")
        let before = try #require(FileIdentity(at: own))
        if isLockedBefore { try root.lock(path) }
        let restored = try #require(try snapshots(.restore(name: taken.name, keychain: path)).first)
        // Other users read what is there now, before root's daemon is asked for anything else.
        #expect(try accounts(other) == ["ada"])
        #expect(try mode(path) == 0o644 && mode(own) == 0o600)
        let replaced = try #require(restored.replaced)
        #expect(restored.name == taken.name && FileIdentity(at: "\(replaced)/items.db") == before)
        #expect(try root.use(path) { (keychain) throws(KeychainError) in try keychain.state().isUnlocked })
        #expect(try root.secrets("ada", in: [path]) == ["secret"] && accounts(root) == ["ada"])
        let losses = try root.use(path) { (keychain) throws(KeychainError) in
            try keychain.withStore { (store) throws(KeychainError) in try store.losses() }
        }
        #expect(losses.contains { $0.changes != 0 }, "as of any older copy")
        // Another opening and another change work as ever.
        try root.lock(path)
        try root.add("carl", "secret", to: path)
        #expect(try accounts(other) == ["ada", "carl"] && accounts(root) == ["ada", "carl"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder) == ["System.keychain-db"])
    }

    /// A daemon that ends before the copy is brought up to date leaves that to the next opening.
    @Test func aCopyOfBeforeIsReplacedAtTheNextOpening() throws {
        let taken = try grown()
        try root.use(path) { (slot) throws(KeychainError) in
            _ = try slot.keychain.restore(taken.name) { () throws(KeychainError) in try slot.lock() }
        }
        #expect(try accounts(try other()) == ["ada", "bob"])
        #expect(try root.secrets("ada", in: [path]) == ["secret"])
        #expect(try accounts(try other()) == ["ada"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder) == ["System.keychain-db"])
    }

    @Test func nobodyElseRestoresASnapshot() throws {
        let (taken, other) = (try grown(), try other())
        #expect(throws: KeychainError(.wrPerm, "")) {
            try snapshots(.restore(name: taken.name, keychain: path), other)
        }
        // A second daemon of root's works on none of them.
        let second = try KeychainItemHome(keychains: [], machine: MachineKeychains(folder.path))
        #expect(throws: KeychainError(.notAvailable, "")) {
            try snapshots(.restore(name: taken.name, keychain: path), second)
        }
        #expect(try root.secrets("bob", in: [path]) == ["secret"])
        #expect(throws: KeychainError(.itemNotFound, "")) { try snapshots(.restore(name: "../a", keychain: path)) }
        // Without its key file the keychain does not open, and nothing says who may read it.
        try root.lock(path)
        try #require(rename(key, key + "2") == 0)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try snapshots(.restore(name: taken.name, keychain: path))
        }
        try #require(rename(key + "2", key) == 0)
        #expect(try accounts(try self.other()) == ["ada", "bob"])
        #expect(try root.secrets("bob", in: [path]) == ["secret"])
    }

    /// A keychain that does not open is replaced too, and what others read follows once it opens.
    @Test func withThePasscodeItNeedsNoKeyFile() throws {
        let taken = try grown()
        try root.lock(path)
        try #require(rename(key, key + "2") == 0)
        let restored = try root.use(path) { (slot) throws(KeychainError) in
            try slot.restore(taken.name, isProven: true)
        }
        #expect(restored.snapshot.name == taken.name)
        #expect(throws: KeychainError(.notAvailable, "")) { try root.secrets("ada", in: [path]) }
        #expect(try accounts(root) == ["ada"] && accounts(try other()) == ["ada", "bob"])
        try #require(rename(key + "2", key) == 0)
        #expect(try root.secrets("ada", in: [path]) == ["secret"] && accounts(try other()) == ["ada"])
    }
}
