import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Glibc
@testable import ChatelaineSystem
@testable import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// File keychains lock by themselves, with a clock that the test sets and a real enclaved.
@Suite struct KeychainLockingTests {
    private let folder: TemporaryFolder
    private let registry: FileKeychainRegistry
    private let clock = FakeClock(1_000_000)

    init() throws {
        folder = try TemporaryFolder()
        for name in ["data", "state"] { try #require(mkdir("\(folder.path)/\(name)", 0o700) == 0) }
        let log = Log(file: folder.path + "/log")
        let enclave = EnclaveConnection(
            launcher: CustodianProcesses(stateFolder: folder.path + "/enclave"), log: log)
        registry = .test(in: folder.path, enclave, log) { [clock] in Double(clock.now) / 1000 }
    }

    private func pass(_ seconds: Int64) { clock.pass(milliseconds: seconds * 1000) }

    private func use<Answer>(
        _ name: String, _ body: (FileKeychainSlot) throws(KeychainError) -> Answer
    ) throws -> Answer {
        try registry.withKeychain(at: try registry.path("\(folder.path)/data/keychains/\(name)-db"), body)
    }

    private func with(
        _ name: String, _ password: String,
        _ body: (FileKeychainSlot, Int32) throws(KeychainError) -> KeychainReport
    ) throws -> PasscodeOutcome {
        let file = Array(password.utf8).withUnsafeBytes {
            chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count)
        }
        defer { close(file) }
        return try use(name) { (keychain) throws(KeychainError) in try body(keychain, file) }.outcome
    }

    @discardableResult
    private func create(_ name: String, _ interval: UInt32? = nil, sleep: Bool = true) throws -> PasscodeOutcome {
        let outcome = try with(name, "right") { (keychain, file) throws(KeychainError) in
            try keychain.create(password: file)
        }
        if let interval { try set(name, interval, sleep: sleep) }
        return outcome
    }

    @discardableResult
    private func unlock(_ name: String, _ password: String = "right") throws -> PasscodeOutcome {
        try with(name, password) { (keychain, file) throws(KeychainError) in
            try keychain.unlock(password: file, from: .agent)
        }
    }

    private func set(_ name: String, _ interval: UInt32, sleep: Bool = true) throws {
        var settings = KeychainSettings()
        (settings.lockInterval, settings.locksOnSleep) = (interval, sleep)
        try use(name) { [settings] (keychain) throws(KeychainError) in try keychain.setSettings(settings) }
    }

    private func isUnlocked(_ name: String) throws -> Bool {
        try use(name) { (keychain) throws(KeychainError) in try keychain.state() }.isUnlocked
    }

    private func noteUse(_ name: String) throws {
        try use(name) { (keychain) throws(KeychainError) in keychain.noteUse() }
    }

    @Test func aNewOneLocksAfterFiveMinutes() throws {
        try create("a")
        pass(299)
        registry.lockIdle()
        #expect(try isUnlocked("a"))
        pass(1)
        #expect(try !isUnlocked("a"), "looking at it was no use")
        #expect(registry.count == 0 && registry.nextDeadline == nil)
        #expect(try unlock("a", "wrong") == .wrong)
    }

    @Test func useAndNewSettingsBeginItsTimeAnewAndReadingDoesNot() throws {
        try create("a", 60)
        for _ in 0..<5 {
            pass(59)
            try noteUse("a")
        }
        pass(59)
        try set("a", 100)
        pass(99)
        #expect(try use("a") { (keychain) throws(KeychainError) in try keychain.settings() }.lockInterval == 100)
        #expect(try unlock("a", "whatever") == .done, "unlocking what is unlocked is a use")
        pass(99)
        #expect(try isUnlocked("a"))
        _ = try use("a") { (keychain) throws(KeychainError) in try keychain.settings() }
        pass(1)
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try use("a") { (keychain) throws(KeychainError) in try keychain.settings() }
        }
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try set("a", 5) }
        #expect(try !isUnlocked("a"))
        // The new settings count from the next unlock.
        try unlock("a")
        pass(99)
        #expect(try isUnlocked("a"))
    }

    /// A late use does not extend an interval that is over.
    @Test func whatIsOverStaysOver() throws {
        try create("a", 10)
        pass(10)
        try noteUse("a")
        #expect(try !isUnlocked("a"))
        try unlock("a")
        pass(10)
        #expect(try unlock("a", "wrong") == .wrong, "it is locked by then")
    }

    /// The thread locks unused keychains, the one with the least time first.
    @Test func eachHasItsTime() throws {
        try create("never", KeychainSettings.never)
        #expect(registry.nextDeadline == nil)
        try create("long", 1000)
        try create("short", 10)
        #expect(registry.nextDeadline == Double(clock.now) / 1000 + 10)
        pass(10)
        registry.lockIdle()
        #expect(registry.count == 2)
        pass(100_000_000)
        registry.lockIdle()
        #expect(registry.count == 1)
        #expect(try isUnlocked("never"))
    }

    /// A keychain that is held up keeps no other from losing its keys.
    @Test func allKeysGoBeforeAnythingIsWaitedFor() throws {
        for name in ["a", "b"] { try create(name, 10) }
        let keychains = try ["a", "b"].map { name in
            try use(name) { (keychain) throws(KeychainError) in
                (store: try keychain.keychain.store().identifier, enclave: keychain.enclave)
            }
        }
        pass(10)
        var completions: [@Sendable () -> Void] = []
        try use("a") { (keychain) throws(KeychainError) in
            keychain.checking.withLock { _ in registry.lockIdle { completions.append($0) } }
        }
        for keychain in keychains {
            #expect(throws: KeychainError(.interactionNotAllowed, "")) {
                try keychain.enclave.openKeychain(keychain.store)
            }
        }
        #expect(registry.count == 2 && registry.nextDeadline == nil, "nothing is left to be locked a second time")
        for complete in completions { complete() }
        #expect(completions.count == 2 && registry.count == 0)
    }

    /// Somebody unlocked the keychain again before the thread came that was to complete its file.
    @Test func aLateCompletionLocksNothing() throws {
        try create("a", 10)
        pass(10)
        var completions: [@Sendable () -> Void] = []
        registry.lockIdle { completions.append($0) }
        #expect(try unlock("a") == .done)
        for complete in completions { complete() }
        #expect(try completions.count == 1 && isUnlocked("a"))
    }

    @Test func theThreadLocksWhatIsOver() throws {
        #expect(registry.startLocking())
        try create("a", 60)
        pass(60)
        // A new deadline wakes the thread long before it would wake by itself.
        try create("b")
        try until("something locks it") { registry.count == 1 }
        #expect(try isUnlocked("b"))
    }

    @Test func sleepLocksThoseThatSaySo() throws {
        try create("new")
        try create("sleeps", 60, sleep: true)
        try create("stays", 60, sleep: false)
        try registry.lock(because: .sleep)
        #expect(try !isUnlocked("new") && !isUnlocked("sleeps") && isUnlocked("stays"))
        // Other locks concern all keychains.
        try registry.lockAll()
        #expect(try !isUnlocked("stays"))
    }

    /// The machine sleeps after some seconds, whether an earlier event was dealt with or not.
    @Test func anEventDoesNotWaitForTheFilesOfTheOneBefore() throws {
        try create("slow")
        let (registry, isHeld, mayGo) = (registry, CountingSemaphore(0), CountingSemaphore(0))
        let slow = try registry.path("\(folder.path)/data/keychains/slow-db")
        let check = Work {
            try registry.withKeychain(at: slow) { (keychain) throws(KeychainError) in
                keychain.checking.withLock { _ in
                    isHeld.signal()
                    mayGo.wait()
                }
            }
        }
        isHeld.wait()
        let events = Work { for event in [SystemEvent.sleep, .sleep] { try registry.lock(because: event) } }
        try until("both events are dealt with") { events.isDone }
        try events.value()
        mayGo.signal()
        try check.value()
        try until("its file is complete") { registry.count == 0 }
        #expect(try unlock("slow") == .done)
    }

    @Test func whoUnlocksItAfterAnEventFindsItOpen() throws {
        try create("a")
        for _ in 0..<3 {
            try registry.lock(because: .sleep)
            #expect(try unlock("a") == .done)
            #expect(try isUnlocked("a"))
        }
    }

    /// Intervals go on while the machine sleeps.
    @Test func whatSleptTooLongIsLocked() throws {
        try create("stays", 60, sleep: false)
        try registry.lock(because: .sleep)
        pass(3600)
        #expect(try !isUnlocked("stays"))
    }

    /// An interval of 0 means one second, because otherwise nobody could set another one.
    @Test func noTimeIsASecond() throws {
        try create("a", 0)
        #expect(try isUnlocked("a"))
        try set("a", 5)
        pass(4)
        #expect(try isUnlocked("a"))
        try set("a", 0)
        pass(1)
        #expect(try !isUnlocked("a"))
    }
}
