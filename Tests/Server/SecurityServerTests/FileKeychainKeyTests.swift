import CChatelaine
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

/// The keys of file keychains work over the connection to a real enclaved.
@Suite struct FileKeychainKeyTests {
    private let folder: TemporaryFolder
    private let launcher: CustodianProcesses
    private let connection: EnclaveConnection
    private let keys: FileKeychainKeySource
    private let store = StoreIdentifier()

    init() throws {
        folder = try TemporaryFolder()
        launcher = CustodianProcesses(stateFolder: folder.path + "/enclave")
        connection = EnclaveConnection(launcher: launcher, log: Log(file: folder.path + "/log"))
        keys = FileKeychainKeySource(enclave: connection)
    }

    private func with<Answer>(_ password: String, _ body: (Int32) throws -> Answer) throws -> Answer {
        let bytes = Array(password.utf8)
        let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("test", $0.baseAddress, $0.count) }
        defer { close(file) }
        return try body(file)
    }

    private func create() throws -> KeychainHeader {
        try with("right") { try connection.createKeychain(store, password: $0) }
    }

    private func unlock(_ header: KeychainHeader, _ password: String) throws -> KeychainReport {
        try with(password) { try connection.unlockKeychain(header, password: $0, from: .agent) }
    }

    private func rowKey() throws -> WrappedRowKey {
        let context = RowContext(
            store: store, row: ItemIdentifier(), version: 1, itemClass: .genericPassword, accessibility: .whenUnlocked,
            isSynchronizable: false, isTombstone: false, groupDigest: Bytes16(repeating: 3))
        let key = try #require(try keys.createRowKeys([context], for: nil, in: store).first)
        return WrappedRowKey(classKeyID: key.classKeyID, wrapped: key.wrapped, context: context)
    }

    private func cause(_ body: () throws -> Void) -> KeychainError.Cause? {
        do { try body() } catch { return (error as? KeychainError)?.cause }
        return nil
    }

    @Test func aKeychainIsOpenedByItsPassword() throws {
        let header = try create()
        let opened = try keys.openStore(store, isEmpty: true)
        #expect(opened[.index] == header.indexKey)
        let row = try rowKey()
        #expect(try keys.metadataKeyForSealing(.always, in: store).id == 1)
        #expect(try keys.rewrapRowKeys([row], in: store).count == 1)
        #expect(keys.supersededKeys(of: store).ids == [])
        keys.closeStore(store)
        #expect(cause { _ = try keys.openStore(store, isEmpty: false) } == .locked)
        for _ in 0..<2 {
            #expect(cause { _ = try keys.openRowKeys([row], for: nil, in: store) } == .locked)
            #expect(cause { _ = try rowKey() } == .locked)
            #expect(cause { _ = try keys.metadataKey(id: 1, in: store) } == .locked)
        }
        let wrong = try unlock(header, "wrong")
        #expect(wrong.outcome == .wrong && wrong.failures == 1)
        #expect(try unlock(header, "right").outcome == .done)
        #expect(try keys.openRowKeys([row], for: nil, in: store).count == 1)
        let changed = try with("right") { old in
            try with("new") { try connection.changeKeychainPassword(header, password: old, to: $0, from: .agent) }
        }
        let new = try #require(changed.header)
        #expect(
            try with("new") { try connection.verifyKeychainPassword(new, password: $0, from: .agent) }.outcome == .done)
        try connection.lockKeychain(store)
        #expect(try unlock(new, "new").outcome == .done)
        #expect(try keys.openRowKeys([row], for: nil, in: store).allSatisfy { (try? $0.get()) != nil })
    }

    /// The keys of the keychain ended with their custodian, so only the password opens it again.
    @Test func anotherCustodianHasItLocked() throws {
        let header = try create()
        let row = try rowKey()
        #expect(kill(connection.pid, SIGKILL) == 0)
        #expect(cause { _ = try keys.openRowKeys([row], for: nil, in: store) } == .locked)
        #expect(cause { _ = try keys.openStore(store, isEmpty: false) } == .locked)
        #expect(launcher.starts.load(ordering: .relaxed) == 2)
        try connection.lockKeychain(store)
        #expect(try unlock(header, "right").outcome == .done)
        #expect(try keys.openRowKeys([row], for: nil, in: store).allSatisfy { (try? $0.get()) != nil })
    }

    /// If the custodian ends with a password, the request is not repeated.
    @Test func aPasswordIsPutOnce() throws {
        let header = try create()
        let pipe = try TestPipe([1], isEnded: false)
        defer { withExtendedLifetime(pipe) {} }
        let (connection, reading) = (connection, pipe.reading)
        let unlock = Work { _ = try connection.unlockKeychain(header, password: reading, from: .agent) }
        try until("the custodian reads") { pipe.isEmpty }
        #expect(kill(connection.pid, SIGKILL) == 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try unlock.value() }
        #expect(launcher.starts.load(ordering: .relaxed) == 1)
        #expect(try self.unlock(header, "right").outcome == .done)
    }

    /// A lock also cancels earlier requests that still wait for their turn.
    @Test func aLockStandsAboveWhatWaits() throws {
        let header = try create()
        try connection.lockKeychain(store)
        let (connection, store) = (connection, store)
        // Passwords that never come take both turns.
        let silent = try (0..<2).map { _ in try TestPipe([1], isEnded: false) }
        let others = silent.map(\.reading).map { reading in
            Work { _ = try connection.verifyKeychainPassword(header, password: reading, from: .agent) }
        }
        for pipe in silent { try until("the custodian reads") { pipe.isEmpty } }
        let unlock = Work {
            let file = chatelaine_sealed_memfd_holding("test", "right", 5)
            defer { close(file) }
            _ = try connection.unlockKeychain(header, password: file, from: .agent)
        }
        try until("the unlock begins") { connection.monitor.withLock { _ in connection.unlocks.isUnderWay(store) } }
        try connection.lockKeychain(store)
        // It does not wait for a place first.
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try unlock.value() }
        #expect(connection.keychainPasswords.waiting == 0)
        for pipe in silent { pipe.end() }
        for other in others { try other.value() }
        #expect(cause { _ = try keys.openStore(store, isEmpty: false) } == .locked)
    }

    /// A program that has passwords checked all the time makes another program wait for the end of one check.
    @Test func unlocksOfOneProgramHoldUpNobody() throws {
        let header = try create()
        try connection.lockKeychain(store)
        let connection = connection
        let (flood, other) = (try TestConnection(program: 1), try TestConnection(pid: 2, program: 2))
        // Two have the places, and the others wait for these.
        let gates = (0..<6).map { _ in Gate() }
        for gate in gates { gate.shut() }
        let served = Counter()
        func hold(until gate: Gate) -> Work<Void> {
            let slot = flood.slot
            return Work {
                try connection.keychainPasswords.hold(for: slot.owner, from: slot) { () throws(KeychainError) in
                    served.next()
                    gate.pass()
                }
            }
        }
        var checks = gates.prefix(2).map { hold(until: $0) }
        try served.wait(for: 2)
        checks += gates.dropFirst(2).map { hold(until: $0) }
        try until { connection.keychainPasswords.waiting >= 4 }
        let unlock = Work {
            let file = chatelaine_sealed_memfd_holding("test", "right", 5)
            defer { close(file) }
            return try Originator.$slot.withValue(other.slot) {
                try connection.unlockKeychain(header, password: file, from: .agent).outcome
            }
        }
        try until { connection.keychainPasswords.waiting >= 5 }
        gates[0].open()
        #expect(try unlock.value() == .done)
        for gate in gates { gate.open() }
        for check in checks { try check.value() }
    }

    /// Any number of requests wait for their turn, and none is refused, since builds run side by side.
    @Test func manyUnlockAtATime() throws {
        let header = try create()
        let connection = connection
        let threads = (0..<8).map { _ in
            Work {
                let file = chatelaine_sealed_memfd_holding("test", "right", 5)
                defer { close(file) }
                return try connection.unlockKeychain(header, password: file, from: .agent).outcome
            }
        }
        for thread in threads { #expect(try thread.value() == .done) }
    }
}
