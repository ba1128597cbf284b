import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// A passcode protects the class keys from its setting to its removal.
@Suite struct PasscodeTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()

    init() throws { folder = try TemporaryFolder() }

    private func start(_ settings: EnclaveSettings = .quick()) throws -> Enclave {
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: TemporaryFolder.names(in: folder.state).isEmpty)
        return enclave
    }

    private var keybagPath: String { folder.state + "/keybags/\(KeybagFile.name(of: store))" }

    /// The keybag on disk, as somebody with the UID key can read it.
    private func savedKeybag() throws -> Keybag {
        let root = try StateFolder.open(folder.state, files: .system, lockAttempts: 1)
        let backend = SoftwareBackend(folder: root)
        #expect(try backend.unlock())
        return try KeybagFile(path: "", backend: backend).decode(
            SecretBytes(TemporaryFolder.read(keybagPath)), for: store)
    }

    private func rows(_ enclave: Enclave, _ classes: [Accessibility] = Accessibility.allCases) throws -> [WrappedRowKey]
    {
        let contexts = classes.map { RowContext.sample(store, $0) }
        return zip(try enclave.createRowKeys(contexts), contexts).map { $0.wrapped(in: $1) }
    }

    private func open(_ enclave: Enclave, _ rows: [WrappedRowKey]) throws -> [Status] {
        try enclave.openRowKeys(rows).map(\.status)
    }

    private static let unprotected = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }

    @Test func withoutOneNothingIsLocked() throws {
        let enclave = try start()
        let status = try enclave.status(of: store)
        #expect(status == PasscodeReport() && status.state == .unlocked && !status.hasPasscode)
        try enclave.lock(store)
        #expect(try enclave.status(of: store).state == .unlocked)
        #expect(throws: Never.self) { try rows(enclave, Self.unprotected) }
        let requests: [any EnclavePasscodeRequest] = [
            UnlockStore(.agent, in: store), RemovePasscode(.agent, in: store), MakeNewKeys(.agent, in: store),
        ]
        for request in requests {
            #expect(failure { _ = try enclave.passcode(request, "1234") }?.status == .param)
        }
        #expect(
            failure { _ = try enclave.passcode(ChangePasscode(.agent, in: store), "1234", "5678") }?.status == .param)
        #expect(!TemporaryFolder.names(in: folder.state + "/keybags").contains { $0.hasSuffix(".tries") })
    }

    @Test func theFirstOneMakesNewKeys() throws {
        var (former, later): ([WrappedRowKey], [WrappedRowKey]) = ([], [])
        var (formerMetadata, superseded): ([MetadataKey], [UInt32]) = ([], [])
        do {
            let enclave = try start()
            former = try rows(enclave, Self.unprotected)
            formerMetadata = try Self.unprotected.map { try enclave.metadataKeyForSealing($0, in: store) }
            let status = try enclave.passcode(SetPasscode(store), "four words in a row")
            #expect(status.outcome == .done && status.hasPasscode && status.state == .unlocked)
            #expect(status.memory >= 19 * 1024 && status.passes >= 2 && status.lanes == 1)
            superseded = status.supersededKeys
            // Class and metadata keys of ak, aku, ck and cku are superseded.
            #expect(superseded.count == 8)
            later = try rows(enclave)
            #expect(Set(later.map(\.classKeyID)).isDisjoint(with: superseded))
            #expect(try open(enclave, former + later).allSatisfy { $0 == .success })
        }
        let enclave = try start()
        #expect(try enclave.status(of: store).supersededKeys == superseded)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "four words in a row").outcome == .done)
        #expect(try open(enclave, former + later).allSatisfy { $0 == .success })
        for key in formerMetadata { #expect(try enclave.metadataKey(key.id, in: store).key == key.key) }
        for accessibility in Accessibility.allCases where accessibility.isProtectedByPasscode {
            let key = try enclave.metadataKeyForSealing(accessibility, in: store)
            #expect(!superseded.contains(key.id) && !formerMetadata.contains { $0.key == key.key })
        }
        // Classes without protection by the passcode keep their keys.
        let always = try #require(formerMetadata.first { !superseded.contains($0.id) })
        #expect(try enclave.metadataKeyForSealing(.always, in: store).id == always.id)
    }

    /// The keybag on disk opens only with the passcode and the UID key together.
    @Test func bothAreNeeded() throws {
        do {
            let enclave = try start()
            _ = try enclave.passcode(SetPasscode(store), "correct")
            _ = try rows(enclave)
        }
        let root = try StateFolder.open(folder.state, files: .system, lockAttempts: 1)
        let backend = SoftwareBackend(folder: root)
        #expect(try backend.unlock())
        let keybag = try savedKeybagUnlocked(backend)
        let wrapping = try ClassKeyWrapping(keybag, backend: backend, protector: nil)
        let foreign = try ClassKeyWrapping(keybag, backend: backend, protector: KeyDerivation.randomKey())
        let record = try #require(keybag.passcode)
        #expect(
            try record.open(with: SecretBytes(Array("wrong".utf8)), of: keybag.id, hash: .quick(), backend: backend)
                == nil)
        let protector = try #require(
            try record.open(with: SecretBytes(Array("correct".utf8)), of: keybag.id, hash: .quick(), backend: backend))
        let right = try ClassKeyWrapping(keybag, backend: backend, protector: protector)
        for key in keybag.keys where key.kind == .classKey {
            guard key.accessibility.isProtectedByPasscode else {
                #expect(throws: Never.self) { try wrapping.unwrap(key) }
                continue
            }
            // The former keys need both as well.
            #expect(failure { _ = try wrapping.unwrap(key) }?.status == .interactionNotAllowed)
            #expect(failure { _ = try foreign.unwrap(key) }?.status == .decode)
            #expect(throws: Never.self) { try right.unwrap(key) }
        }
        // With the UID key of another device even the right passcode is wrong.
        let other = try TemporaryFolder()
        let stranger = SoftwareBackend(folder: try StateFolder.open(other.state, files: .system, lockAttempts: 1))
        try stranger.create()
        #expect(
            try record.open(with: SecretBytes(Array("correct".utf8)), of: keybag.id, hash: .quick(), backend: stranger)
                == nil)
    }

    private func savedKeybagUnlocked(_ backend: SoftwareBackend) throws -> Keybag {
        try KeybagFile(path: "", backend: backend).decode(SecretBytes(TemporaryFolder.read(keybagPath)), for: store)
    }

    @Test func aChangeKeepsTheKeys() throws {
        var made: [WrappedRowKey] = []
        do {
            let enclave = try start()
            _ = try enclave.passcode(SetPasscode(store), "first")
            made = try rows(enclave)
            let superseded = try enclave.status(of: store).supersededKeys
            #expect(try enclave.passcode(ChangePasscode(.agent, in: store), "fIrst", "second").outcome == .wrong)
            let status = try enclave.passcode(ChangePasscode(.agent, in: store), "first", "second")
            #expect(status.outcome == .done && status.state == .unlocked && status.supersededKeys == superseded)
        }
        let before = try savedKeybag()
        let enclave = try start()
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "first").outcome == .wrong)
        // The passcode can also be changed while the keybag is locked, which opens nothing.
        #expect(try enclave.passcode(ChangePasscode(.agent, in: store), "second", "third").state == .beforeFirstUnlock)
        #expect(try open(enclave, [made[0]]) == [.interactionNotAllowed])
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "third").state == .unlocked)
        #expect(try open(enclave, made).allSatisfy { $0 == .success })
        _ = enclave.answer(CloseStore(store))
        withExtendedLifetime(enclave) {}
        #expect(before.keys.count == 12 + 10)
    }

    @Test func newKeysSupersedeTheOldOnes() throws {
        let enclave = try start()
        _ = try enclave.passcode(SetPasscode(store), "first")
        let made = try rows(enclave)
        try enclave.destroyKeys(try enclave.status(of: store).supersededKeys, in: store)
        #expect(try enclave.status(of: store).supersededKeys.isEmpty)
        #expect(try enclave.passcode(MakeNewKeys(.agent, in: store), "second").outcome == .wrong)
        try enclave.lock(store)
        let status = try enclave.passcode(MakeNewKeys(.agent, in: store), "first")
        #expect(status.outcome == .done && status.supersededKeys.count == 10 && status.state == .locked)
        // The keybag stays locked, and open classes stay open.
        #expect(
            try open(enclave, made)
                == Accessibility.allCases.map { accessibility in
                    switch accessibility {
                    case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
                        .interactionNotAllowed
                    default: .success
                    }
                })
        #expect(try rows(enclave, [.afterFirstUnlock]).first?.classKeyID != made[1].classKeyID)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "first").outcome == .done)
        #expect(try open(enclave, made).allSatisfy { $0 == .success })
        // New keys are made again while the keybag is unlocked, and after a restart.
        #expect(try enclave.passcode(MakeNewKeys(.agent, in: store), "first").supersededKeys.count == 20)
        let latest = try rows(enclave)
        #expect(try open(enclave, made + latest).allSatisfy { $0 == .success })
        try enclave.lock(store)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "first").outcome == .done)
        #expect(try open(enclave, made + latest).allSatisfy { $0 == .success })
    }

    @Test func destroyedKeysAreGone() throws {
        let enclave = try start()
        let former = try rows(enclave, Self.unprotected)
        _ = try enclave.passcode(SetPasscode(store), "first")
        let superseded = try enclave.status(of: store).supersededKeys
        let current = try #require(try rows(enclave).first)
        // A key that seals, an unknown key, or a key whose wrapped key would stay: nothing is destroyed.
        for ids in [[current.classKeyID], [4_000_000], superseded + [current.classKeyID], [superseded[0]]] {
            #expect(failure { try enclave.destroyKeys(ids, in: store) }?.status == .param)
        }
        #expect(try enclave.status(of: store).supersededKeys == superseded)
        for _ in 0..<2 { try enclave.destroyKeys(superseded, in: store) }
        #expect(try enclave.status(of: store).supersededKeys.isEmpty)
        let expected = Self.unprotected.map { $0.isProtectedByPasscode ? Status.itemNotFound : .success }
        #expect(try open(enclave, former) == expected)
        #expect(failure { _ = try enclave.metadataKey(superseded[1], in: store) }?.status == .itemNotFound)
        _ = enclave.answer(CloseStore(store))
    }

    @Test func removalDestroysThePasscodeClass() throws {
        var made: [WrappedRowKey] = []
        do {
            let enclave = try start()
            _ = try enclave.passcode(SetPasscode(store), "first")
            made = try rows(enclave)
        }
        do {
            // The passcode can be removed before the first unlock.
            let enclave = try start()
            #expect(try enclave.passcode(RemovePasscode(.agent, in: store), "not it").outcome == .wrong)
            #expect(try enclave.status(of: store).hasPasscode)
            let status = try enclave.passcode(RemovePasscode(.agent, in: store), "first")
            #expect(status.outcome == .done && !status.hasPasscode && status.state == .unlocked)
            let expected = made.map {
                $0.context.accessibility == .whenPasscodeSetThisDeviceOnly ? Status.itemNotFound : .success
            }
            #expect(try open(enclave, made) == expected)
            #expect(failure { _ = try rows(enclave, [.whenPasscodeSetThisDeviceOnly]) }?.status == .authFailed)
        }
        let keybag = try savedKeybag()
        #expect(keybag.passcode == nil && keybag.destroyed.count == 2)
        #expect(keybag.keys.allSatisfy { $0.wrapped.count == Sealing.wrappedKeyByteCount })
        // Nothing is locked any more, and the next passcode begins anew.
        let enclave = try start()
        #expect(try open(enclave, Array(made.dropLast())).allSatisfy { $0 == .success })
        #expect(try enclave.passcode(SetPasscode(store), "second").outcome == .done)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "first").outcome == .wrong)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "second").outcome == .done)
        #expect(try open(enclave, [made[6]]) == [.itemNotFound])
        #expect(try rows(enclave, [.whenPasscodeSetThisDeviceOnly]).count == 1)
    }

    @Test func lengthsAreExplicit() throws {
        let enclave = try start()
        #expect(failure { _ = try enclave.passcode(SetPasscode(store), "123") }?.status == .param)
        #expect(try !enclave.status(of: store).hasPasscode)
        _ = try enclave.passcode(SetPasscode(store), "1234")
        #expect(failure { _ = try enclave.passcode(SetPasscode(store), "12345") }?.status == .param)
        #expect(failure { _ = try enclave.passcode(ChangePasscode(.agent, in: store), "1234", "5") }?.status == .param)
        // A try may have any length, and the error says only that it is wrong.
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "1").outcome == .wrong)
        #expect(failure { _ = try enclave.passcode(UnlockStore(.agent, in: store)) }?.status == .param)
        #expect(failure { _ = try enclave.passcode(UnlockStore(.agent, in: store), "1234", "1234") }?.status == .param)
    }

    @Test func eachKeybagHasItsOwn() throws {
        let enclave = try start()
        let other = StoreIdentifier()
        _ = try enclave.openStore(other, isEmpty: true)
        _ = try enclave.passcode(SetPasscode(store), "first")
        try enclave.lock(store)
        #expect(try enclave.status(of: other) == PasscodeReport())
        #expect(throws: Never.self) { try enclave.createRowKeys([.sample(other)]) }
        #expect(failure { _ = try enclave.createRowKeys([.sample(store)]) }?.status == .interactionNotAllowed)
        let report = try enclave.answer(ReadCustodianReport()).get()
        #expect(report.hasPasscode && !report.isUnlocked)
    }

    /// A keybag that is opened again is locked, as in a new custodian.
    @Test func openingAgainIsLocked() throws {
        let enclave = try start()
        _ = try enclave.passcode(SetPasscode(store), "first")
        _ = try enclave.answer(CloseStore(store)).get()
        _ = try enclave.openStore(store, isEmpty: false)
        #expect(try enclave.status(of: store).state == .beforeFirstUnlock)
    }

    /// Seals are still counted while a locked class key cannot be replaced. It is replaced after the unlock.
    @Test func aClassKeyRotatesOnceItIsUnlocked() throws {
        var settings = EnclaveSettings.quick()
        settings.rotationThreshold = 10
        settings.blockSize = 1
        let enclave = try start(settings)
        _ = try enclave.passcode(SetPasscode(store), "first")
        try enclave.lock(store)
        func seal() throws -> UInt32 { try #require(try rows(enclave, [.afterFirstUnlock]).first).classKeyID }
        var ids: [UInt32] = []
        // One further seal is the wrapping of the metadata key.
        for _ in 0..<19 { ids.append(try seal()) }
        #expect(Set(ids).count == 1)
        #expect(failure { _ = try seal() }?.status == .interactionNotAllowed)
        _ = try enclave.passcode(UnlockStore(.agent, in: store), "first")
        #expect(try seal() != ids[0])
    }

    // MARK: Several at a time

    /// A hash that waits until the test lets it go.
    private final class Gate: Sendable {
        let reached = DispatchSemaphore(value: 0)
        let letGo = DispatchSemaphore(value: 0)
        let isOn = Atomic<Bool>(false)
        let inside = Atomic<Int>(0)
        let most = Atomic<Int>(0)

        func pass() {
            let now = inside.wrappingAdd(1, ordering: .relaxed).newValue
            if now > most.load(ordering: .relaxed) { most.store(now, ordering: .relaxed) }
            if isOn.load(ordering: .relaxed) {
                reached.signal()
                letGo.wait()
            }
            inside.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    @Test func othersAreServedMeanwhile() throws {
        let gate = Gate()
        let enclave = try start(.quick(hash: .quick(before: gate.pass)))
        _ = try enclave.passcode(SetPasscode(store), "first")
        let made = try rows(enclave)
        gate.isOn.store(true, ordering: .relaxed)
        let (store, ended) = (store, DispatchSemaphore(value: 0))
        let outcomes = Mutex<[PasscodeOutcome?]>([])
        for request in [UnlockStore(.agent, in: store), MakeNewKeys(.agent, in: store)] as [any EnclavePasscodeRequest]
        {
            Thread.detachNewThread {
                let report = try? enclave.passcode(request, "first")
                outcomes.withLock { $0.append(report?.outcome) }
                ended.signal()
            }
        }
        gate.reached.wait()
        // While one hash is under way, reads, seals, counts on disk and other keybags go on.
        #expect(try open(enclave, made).allSatisfy { $0 == .success })
        #expect(try rows(enclave).count == made.count)
        _ = try enclave.metadataKeyForSealing(.whenUnlocked, in: store)
        _ = try enclave.openStore(StoreIdentifier(), isEmpty: true)
        #expect(try enclave.status(of: store).hasPasscode)
        gate.isOn.store(false, ordering: .relaxed)
        for _ in 0..<4 { gate.letGo.signal() }
        ended.wait()
        ended.wait()
        #expect(outcomes.withLock { $0 } == [.done, .done])
        #expect(gate.most.load(ordering: .relaxed) == 1, "two passcodes were looked at at once")
    }

    @Test func whoLocksMeansAnUnlockThatIsUnderWay() throws {
        let gate = Gate()
        let enclave = try start(.quick(hash: .quick(before: gate.pass)))
        _ = try enclave.passcode(SetPasscode(store), "first")
        try enclave.lock(store)
        gate.isOn.store(true, ordering: .relaxed)
        let (store, ended) = (store, DispatchSemaphore(value: 0))
        let status = Mutex<Status?>(nil)
        Thread.detachNewThread {
            let error = failure { _ = try enclave.passcode(UnlockStore(.agent, in: store), "first") }
            status.withLock { $0 = error?.status }
            ended.signal()
        }
        gate.reached.wait()
        try enclave.lock(store)
        gate.letGo.signal()
        ended.wait()
        #expect(status.withLock { $0 } == .interactionNotAllowed)
        #expect(try enclave.status(of: store).state == .locked)
    }
}
