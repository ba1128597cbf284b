import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Sealing
import Synchronization
@testable import ChatelaineSystem
@testable import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// The daemon's registry of file keychains, with a real enclaved.
@Suite struct FileKeychainRegistryTests {
    private let folder: TemporaryFolder
    private let launcher: CustodianProcesses
    private let enclave: EnclaveConnection
    private let registry: FileKeychainRegistry

    init() throws {
        folder = try TemporaryFolder()
        for name in ["data", "state"] { try #require(mkdir("\(folder.path)/\(name)", 0o700) == 0) }
        launcher = CustodianProcesses(stateFolder: folder.path + "/enclave")
        let log = Log(file: folder.path + "/log")
        enclave = EnclaveConnection(launcher: launcher, log: log)
        registry = .test(in: folder.path, enclave, log)
    }

    private static func with<Answer>(_ password: String, _ body: (Int32) throws -> Answer) throws -> Answer {
        let bytes = Array(password.utf8)
        let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count) }
        defer { close(file) }
        return try body(file)
    }

    private func path(_ name: String) throws -> KeychainPath {
        try registry.path("\(folder.path)/data/keychains/\(name)-db")
    }

    private func use<Answer>(
        _ name: String, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws -> Answer { try registry.withKeychain(at: try path(name), body) }

    private func create(_ name: String, _ password: String = "right") throws {
        _ = try Self.with(password) { file in
            try use(name) { (keychain) throws(KeychainError) in try keychain.create(password: file) }
        }
    }

    private func unlock(_ name: String, _ password: String = "right") throws -> PasscodeOutcome {
        try Self.with(password) { file in
            try use(name) { (keychain) throws(KeychainError) in try keychain.unlock(password: file, from: .agent) }
        }.outcome
    }

    private func change(_ name: String, _ password: String, _ new: String) throws -> PasscodeOutcome {
        try Self.with(password) { old in
            try Self.with(new) { new in
                try use(name) { (keychain) throws(KeychainError) in
                    try keychain.changePassword(old, to: new, from: .agent)
                }
            }
        }.outcome
    }

    private func isUnlocked(_ name: String) throws -> Bool {
        try use(name) { (keychain) throws(KeychainError) in try keychain.state() }.isUnlocked
    }

    private func lock(_ name: String) throws {
        try use(name) { (keychain) throws(KeychainError) in try keychain.lock() }
    }

    private func delete(_ name: String) throws {
        try use(name) { (keychain) throws(KeychainError) in try keychain.delete() }
    }

    @Test func aLockEndsTheCheckThatItWaitsFor() throws {
        try create("a")
        let (slot, opened) = try use("a") { (keychain) throws(KeychainError) in
            (keychain, try keychain.opened()?.store)
        }
        let store = try #require(opened)
        let isEnded = slot.checking.withLock { _ in
            guard Worker.start({ try? slot.lock() }) else { return false }
            return (try? until { (try? store.verifyRows()) == nil }) != nil
        }
        #expect(isEnded)
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try store.verifyRows() }
        #expect(try !isUnlocked("a"))
    }

    @Test func aKeychainLivesInTheList() throws {
        try create("a")
        #expect(try isUnlocked("a") && registry.count == 1)
        #expect(throws: KeychainError(.duplicateKeychain, "")) { try create("a", "other") }
        #expect(try isUnlocked("a"))
        try lock("a")
        // An unused keychain is removed from the registry.
        #expect(try !isUnlocked("a") && registry.count == 0)
        try lock("a")
        #expect(try unlock("a", "wrong") == .wrong && registry.count == 0)
        #expect(try unlock("a") == .done && registry.count == 1)
        #expect(try unlock("a", "wrong") == .done, "what is unlocked stays so")
        try delete("a")
        #expect(registry.count == 0)
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try isUnlocked("a") }
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try delete("a") }
        #expect(throws: KeychainError(.noSuchKeychain, "")) { _ = try unlock("a") }
        #expect(registry.count == 0)
    }

    @Test func aPasswordIsChangedLockedOrUnlocked() throws {
        try create("a", "")
        #expect(try change("a", "wrong", "x") == .wrong)
        #expect(try change("a", "", "one") == .done)
        try lock("a")
        #expect(try unlock("a", "") == .wrong)
        #expect(try change("a", "two", "x") == .wrong)
        #expect(try !isUnlocked("a"))
        #expect(try change("a", "one", "two") == .done)
        #expect(try isUnlocked("a"))
        try lock("a")
        #expect(try unlock("a", "one") == .wrong)
        #expect(try unlock("a", "two") == .done)
    }

    /// Simultaneous changes each start from the result of the one before, so only one has the right password.
    @Test func changesAtATime() throws {
        try create("a", "old")
        let winners = Mutex<[Int]>([])
        let threads = (0..<4).map { number in
            Work {
                guard try change("a", "old", "new \(number)") == .done else { return }
                winners.withLock { $0.append(number) }
            }
        }
        for thread in threads { try thread.value() }
        let numbers = winners.withLock { $0 }
        #expect(numbers.count == 1)
        try lock("a")
        #expect(try unlock("a", "new \(try #require(numbers.first))") == .done)
    }

    @Test func allAreLockedAndEndWithTheirFilesComplete() throws {
        for name in ["a", "b", "c"] { try create(name) }
        try lock("b")
        #expect(registry.count == 2)
        registry.end()
        #expect(registry.count == 0)
        for name in ["a", "b", "c"] { #expect(try !isUnlocked(name)) }
        for name in ["a", "b", "c"] {
            var status = stat()
            #expect(lstat(try path(name).text, &status) == 0 && status.st_nlink == 1)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    /// A request in the meantime gets the state before or after, and never an error.
    @Test func itsStateIsToldWhileItIsOpenedAndClosed() throws {
        try create("a")
        let isDone = Atomic(false)
        let changing = Work {
            defer { isDone.store(true, ordering: .relaxed) }
            for _ in 0..<10 {
                try self.lock("a")
                try #require(try unlock("a") == .done)
            }
        }
        var looks = 0
        while !isDone.load(ordering: .relaxed) {
            looks += 1
            #expect(throws: Never.self, "look \(looks)") { try isUnlocked("a") }
        }
        try changing.value()
    }

    @Test func keysGoWithTheCustodian() throws {
        try create("a")
        #expect(kill(enclave.pid, SIGKILL) == 0)
        #expect(try !isUnlocked("a") && registry.count == 0)
        #expect(try unlock("a") == .done)
        #expect(kill(enclave.pid, SIGKILL) == 0)
        // An unlocked keychain is not asked for its password, so it must be known first that this one is locked.
        #expect(try unlock("a", "wrong") == .wrong)
        #expect(try unlock("a") == .done)
        #expect(kill(enclave.pid, SIGKILL) == 0)
        #expect(try change("a", "right", "new") == .done)
        #expect(try isUnlocked("a"))
    }

    /// A lock also cancels unlocks that wait, in the custodian or in securityd.
    @Test func aLockStandsAboveWhatWaits() throws {
        try create("a")
        try lock("a")
        let silent = try TestPipe([1], isEnded: false)
        let reading = silent.reading
        let first = Work {
            _ = try use("a") { (keychain) throws(KeychainError) in try keychain.unlock(password: reading, from: .agent)
            }
        }
        try until("the custodian reads") { silent.isEmpty }
        // The part of a lock that drops the keys waits for nothing.
        try use("a") { (keychain) throws(KeychainError) in try keychain.dropKeys() }
        silent.end()
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try first.value() }
        #expect(try !isUnlocked("a") && registry.count == 0)
    }

    /// The file in our folder was removed, so its name is free for another one.
    @Test func aRemovedFileMakesRoom() throws {
        try create("a", "one")
        #expect(unlink(try path("a").text) == 0)
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try isUnlocked("a") }
        try create("a", "two")
        #expect(try isUnlocked("a") && registry.count == 1)
        try lock("a")
        #expect(try unlock("a", "two") == .done)
    }

    @Test func onlyResolvedPathsAreTaken() {
        let home = folder.path + "/data/keychains"
        for path in [
            "", "a-db", "\(home)/a", "\(home)//a-db", "\(home)/../keychains/a-db", "\(home)/a-db/", "\(home)/x\0-db",
        ] {
            #expect(throws: KeychainError(.param, ""), "\(path)") { try registry.path(path) }
        }
    }
}
