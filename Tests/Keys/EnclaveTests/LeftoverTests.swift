import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// A custodian's memory holds no keys that it should have wiped, as a search for known keys shows.
@Suite(.enabled(if: geteuid() == 0, "needs root: it reads the memory of a process that cannot be traced"))
struct LeftoverTests {
    @Test func nothingIsLeftOfKeysThatWereHandedOut() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        let process = try EnclavedProcess(["--state-folder", folder.state])
        let keys = try process.ask(OpenStore(store, isEmpty: true)).get()
        let metadata = try process.ask(ReadMetadataKeyForSealing(.whenUnlocked, in: store)).get()
        var rowKeys: [[UInt8]] = []
        var classKeyID: UInt32 = 0
        for round in 0..<40 {
            let contexts = (0...round).map { _ in RowContext.sample(store) }
            let made = try process.ask(CreateRowKeys(contexts, in: store)).get()
            let wrapped = zip(made, contexts).map { $0.wrapped(in: $1) }
            let opened = try process.ask(OpenRowKeys(wrapped, in: store)).get()
            #expect(opened.count == contexts.count)
            rowKeys.append(bytes(of: made[round].key))
            classKeyID = made[round].classKeyID
        }
        let uidKey = try #require(Self.uidKey(in: folder.state))
        let memory = ProcessMemory(of: process.pid)
        // Only the caller still has the keys of rows.
        #expect(memory.regions(holding: rowKeys).map(\.name) == [])
        // The kept keys are in locked memory. The class key sealed and opened by AES-GCM, with a key schedule each
        // time.
        let classKey = try classKey(classKeyID, of: store, in: folder)
        let kept =
            StoreKeyPurpose.allCases.map { bytes(of: keys[$0]) } + [bytes(of: metadata.key), uidKey, classKey]
        #expect(memory.regions(holding: kept).filter { !$0.isLocked }.map(\.name) == [])
        // The search finds keys that are there.
        for key in [uidKey, classKey] { #expect(!memory.regions(holding: [key]).isEmpty) }
    }

    /// After a lock no key protected by the passcode is left, and the passcode itself is never left.
    @Test func nothingIsLeftOfWhatIsLocked() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        let process = try EnclavedProcess(["--state-folder", folder.state])
        _ = try process.ask(OpenStore(store, isEmpty: true)).get()
        let passcode = "nobody would guess this passcode"
        _ = try PasscodeProcessTests.ask(SetPasscode(store), passcode, on: process.channel)
        var metadata: [Accessibility: MetadataKey] = [:]
        for accessibility in Accessibility.allCases {
            metadata[accessibility] = try process.ask(ReadMetadataKeyForSealing(accessibility, in: store)).get()
            _ = try process.ask(CreateRowKeys([.sample(store, accessibility)], in: store)).get()
        }
        // A second custodian with the passcode knows the same keys.
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: folder.state, toPath: copy)
        let twin = Enclave(stateFolder: copy)
        let (keybag, _) = try twin.open(store, isEmpty: false)
        #expect(try twin.passcode(UnlockStore(.agent, in: store), passcode).outcome == .done)
        var (locked, afterFirst, always): ([[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [])
        for key in keybag.withState({ Array($0.keys.values) }) {
            switch key.accessibility {
            case .always, .alwaysThisDeviceOnly: always.append(bytes(of: key.secret))
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: afterFirst.append(bytes(of: key.secret))
            default: locked.append(bytes(of: key.secret))
            }
        }
        locked.append(bytes(of: try #require(keybag.withState { $0.protector })))
        #expect(locked.contains { $0 == metadata[.whenUnlocked].map { bytes(of: $0.key) } })
        let memory = ProcessMemory(of: process.pid)
        func count(_ keys: [[UInt8]]) -> Int { keys.count { !memory.regions(holding: [$0]).isEmpty } }
        #expect(count(locked) == locked.count, "the search finds what is there")
        #expect(count([Array(passcode.utf8)]) == 0)
        _ = try process.ask(LockStore(store)).get()
        // The thread has finished the lock once it answers another request, because it wipes its stack after each
        // answer.
        _ = try process.ask(ReadCustodianReport()).get()
        #expect(memory.regions(holding: locked).map { "\($0.name) \($0.isLocked)" } == [])
        #expect(count(afterFirst) == afterFirst.count && count(always) == always.count)
        // The keys come back with an unlock and go with a lock.
        _ = try PasscodeProcessTests.ask(UnlockStore(.agent, in: store), passcode, on: process.channel)
        #expect(count(locked) == locked.count)
        _ = try process.ask(LockStore(store)).get()
        _ = try process.ask(ReadCustodianReport()).get()
        #expect(count(locked) == 0 && count([Array(passcode.utf8)]) == 0)
        process.closeChannel()
        #expect(process.wait() == 0)
        // A new process has only the keys that are always available.
        let next = try EnclavedProcess(["--state-folder", folder.state])
        _ = try next.ask(OpenStore(store, isEmpty: false)).get()
        let nextMemory = ProcessMemory(of: next.pid)
        #expect(nextMemory.regions(holding: locked + afterFirst).map(\.name) == [])
        #expect(always.allSatisfy { !nextMemory.regions(holding: [$0]).isEmpty })
    }

    /// After a lock no key of a file keychain is left, and its password is never left.
    @Test func nothingIsLeftOfALockedKeychain() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        let process = try EnclavedProcess(["--state-folder", folder.state])
        let password = "nobody would guess this password"
        let made = try PasscodeProcessTests.ask(CreateKeychain(store), password, on: process.channel)
        let header = try #require(made.header)
        let contexts = (0..<20).map { _ in RowContext.sample(store) }
        let rows = try process.ask(CreateRowKeys(contexts, in: store)).get()
        let metadata = try process.ask(ReadMetadataKeyForSealing(.always, in: store)).get()
        let keys = try process.ask(OpenKeychain(store)).get()
        // The test derives the same keys from the password.
        let secret = SecretBytes(Array(password.utf8))
        let master = try KeychainPasswordKeys(secret, header.terms, .argon2id).open(header)
        let rowRoot = KeyDerivation.key(
            from: master, purpose: KeychainKeyPurpose.rows.rawValue, subject: store.value)
        let kept = [master, rowRoot, metadata.key].map { bytes(of: $0) }
        let memory = ProcessMemory(of: process.pid)
        #expect(kept.allSatisfy { !memory.regions(holding: [$0]).isEmpty }, "the search finds what is there")
        #expect(memory.regions(holding: kept).filter { !$0.isLocked }.map(\.name) == [])
        let never = [Array(password.utf8)] + rows.map { bytes(of: $0.key) }
        #expect(memory.regions(holding: never).map(\.name) == [])
        let all = kept + never + StoreKeyPurpose.allCases.filter { $0 != .index }.map { bytes(of: keys[$0]) }
        for _ in 0..<2 {
            _ = try process.ask(CloseStore(store)).get()
            // The thread has finished the lock once it answers another request, because it wipes its stack after each
            // answer.
            _ = try process.ask(ReadCustodianReport()).get()
            #expect(memory.regions(holding: all).map { "\($0.name) \($0.isLocked)" } == [])
            // The keys come back with an unlock and go with a lock.
            let unlock = UnlockKeychain(header, .agent, in: store)
            #expect(try PasscodeProcessTests.ask(unlock, password, on: process.channel).outcome == .done)
            #expect(!memory.regions(holding: [bytes(of: master)]).isEmpty)
        }
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    /// Reads the class key from a copy of the state, because the running custodian locks its own.
    private func classKey(_ id: UInt32, of store: StoreIdentifier, in folder: TemporaryFolder) throws -> [UInt8] {
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: folder.state, toPath: copy)
        let (keybag, _) = try Enclave(stateFolder: copy).open(store, isEmpty: false)
        return bytes(of: try keybag.key(id, .classKey).secret)
    }

    private func bytes(of key: SecretBytes) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// The UID key: key 2 of the file, 32 bytes (keybag.md).
    private static func uidKey(in state: String) -> [UInt8]? {
        let file = TemporaryFolder.read(state + "/uid.key")
        let head: [UInt8] = [0x02, 0x58, 0x20]
        return file.indices.dropLast(34).first { file[$0..<($0 + 3)].elementsEqual(head) }
            .map { Array(file[($0 + 3)..<($0 + 35)]) }
    }
}
