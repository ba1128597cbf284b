import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// A custodian makes and opens keys for open stores only, and each key is bound to its context.
@Suite struct EnclaveTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let enclave: Enclave

    init() throws {
        folder = try TemporaryFolder()
        enclave = Enclave(stateFolder: folder.state)
    }

    private static let usable = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }

    @Test func nothingIsTouchedBeforeAStoreIsOpened() {
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        #expect(failure { _ = try enclave.metadataKeyForSealing(.always, in: store) }?.status == .param)
        #expect(failure { _ = try enclave.createRowKeys([.sample(store)]) }?.status == .param)
    }

    @Test func rowKeysRoundTripInEveryClass() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let contexts = Self.usable.map { RowContext.sample(store, $0) }
        let keys = try enclave.createRowKeys(contexts)
        #expect(Set(keys.map(\.classKeyID)).count == contexts.count, "two classes share a key")
        let opened = try enclave.openRowKeys(zip(keys, contexts).map { $0.wrapped(in: $1) })
        for (key, result) in zip(keys, opened) { #expect(try result.get() == key.key) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.key != right.key) }
    }

    @Test func keysOutliveTheProcess() throws {
        let context = RowContext.sample(store)
        var (keys, metadata, row): (StoreKeys?, MetadataKey?, NewRowKey?)
        do {
            let first = Enclave(stateFolder: folder.path + "/own")
            keys = try first.openStore(store, isEmpty: true)
            metadata = try first.metadataKeyForSealing(.always, in: store)
            row = try first.createRowKeys([context]).first
        }
        let second = Enclave(stateFolder: folder.path + "/own")
        let again = try second.openStore(store, isEmpty: false)
        #expect(again.keybag == keys?.keybag)
        for purpose in StoreKeyPurpose.allCases { #expect(again[purpose] == keys?[purpose]) }
        #expect(try second.metadataKey(try #require(metadata).id, in: store).key == metadata?.key)
        let wrapped = try #require(row).wrapped(in: context)
        #expect(try second.openRowKeys([wrapped]).first?.get() == row?.key)
    }

    @Test func everyUseHasAKeyOfItsOwn() throws {
        let keys = try enclave.openStore(store, isEmpty: true)
        let bytes = Set(StoreKeyPurpose.allCases.map { keys[$0].withUnsafeBytes { Array($0) } })
        #expect(bytes.count == StoreKeyPurpose.allCases.count)
        // Numbers count up from 0 without a gap, and each name stands for one purpose.
        #expect(StoreKeyPurpose.allCases.map(\.rawValue) == Array(0..<UInt64(StoreKeyPurpose.allCases.count)))
        let names =
            StoreKeyPurpose.allCases.map(\.name)
            + [DerivedKeyPurpose.keybagAuthentication, .passcode, .triesAuthentication].map(\.name)
        #expect(Set(names).count == names.count)
        // The same bytes under two uses give different digests.
        let content: [UInt8] = Array("the same bytes".utf8)
        let digests = StoreKeyPurpose.allCases.map { purpose in
            content.withUnsafeBytes { KeyedDigest(keys[purpose]).digest($0) }
        }
        #expect(Set(digests).count == StoreKeyPurpose.allCases.count)
    }

    @Test func everyFieldOfTheContextCounts() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let context = RowContext.sample(store)
        let key = try #require(try enclave.createRowKeys([context]).first)
        let changes: [(inout RowContext) -> Void] = [
            { $0.row = ItemIdentifier() }, { $0.version += 1 }, { $0.itemClass = .key },
            { $0.accessibility = .always }, { $0.isSynchronizable = true }, { $0.isTombstone = true },
            { $0.groupDigest = Bytes16(repeating: 2) },
        ]
        let wrong = changes.map { change in
            var changed = context
            change(&changed)
            return key.wrapped(in: changed)
        }
        for result in try enclave.openRowKeys(wrong) { #expect(result.status == .decode) }
        var foreign = context
        foreign.store = StoreIdentifier()
        #expect(try enclave.openRowKeys([key.wrapped(in: foreign)], in: store).first?.status == .param)
        #expect(failure { _ = try enclave.createRowKeys([foreign], in: store) }?.status == .param)
    }

    @Test func eachKeyHasAResultOfItsOwn() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let context = RowContext.sample(store)
        let good = try #require(try enclave.createRowKeys([context]).first).wrapped(in: context)
        var unknown = good
        unknown.classKeyID = 4_000_000_000
        var otherKind = good
        otherKind.classKeyID = try enclave.metadataKeyForSealing(.whenUnlocked, in: store).id
        var damaged = good
        damaged.wrapped[20] ^= 1
        var empty = good
        empty.wrapped = []
        let results = try enclave.openRowKeys([good, unknown, otherKind, damaged, empty, good])
        #expect(results.map(\.status) == [.success, .decode, .decode, .decode, .decode, .success])
        #expect(results[1].reason.contains("unknown key id") && results[2].reason.contains("unknown key id"))
        #expect(!results[3].reason.contains("unknown key id"))
        #expect(
            failure { _ = try enclave.metadataKey(good.classKeyID, in: store) }?.reason.contains("unknown key id")
                == true)
    }

    @Test func passcodeClassHasNoKeyWithoutAPasscode() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let context = RowContext.sample(store, .whenPasscodeSetThisDeviceOnly)
        #expect(failure { _ = try enclave.createRowKeys([context]) }?.status == .authFailed)
        #expect(
            failure { _ = try enclave.metadataKeyForSealing(.whenPasscodeSetThisDeviceOnly, in: store) }?.status
                == .authFailed)
    }

    /// The answers of each class before the first unlock, unlocked, and locked after that
    /// (behaviour/protection-classes.md, 7).
    @Test func lockedClassesAnswerThatTheyAreLocked() throws {
        let folder = try TemporaryFolder()
        func start() throws -> Enclave {
            let enclave = Enclave(stateFolder: folder.state, settings: .quick())
            _ = try enclave.openStore(store, isEmpty: TemporaryFolder.names(in: folder.state).isEmpty)
            return enclave
        }
        let contexts = Accessibility.allCases.map { RowContext.sample(store, $0) }
        var made: (rows: [WrappedRowKey], metadata: [UInt32]) = ([], [])
        do {
            let enclave = try start()
            #expect(try enclave.passcode(SetPasscode(store), "open sesame").outcome == .done)
            made.rows = zip(try enclave.createRowKeys(contexts), contexts).map { $0.wrapped(in: $1) }
            made.metadata = try contexts.map {
                try enclave.metadataKeyForSealing($0.accessibility, in: store).id
            }
        }
        let enclave = try start()
        func expect(_ state: LockState, open: Set<Accessibility>) throws {
            #expect(try enclave.status(of: store).state == state)
            let expected = contexts.map { open.contains($0.accessibility) ? Status.success : .interactionNotAllowed }
            #expect(try enclave.openRowKeys(made.rows).map(\.status) == expected)
            for (index, context) in contexts.enumerated() {
                let status: Status? = open.contains(context.accessibility) ? nil : .interactionNotAllowed
                #expect(failure { _ = try enclave.createRowKeys([context]) }?.status == status)
                #expect(failure { _ = try enclave.metadataKey(made.metadata[index], in: store) }?.status == status)
                #expect(
                    failure { _ = try enclave.metadataKeyForSealing(context.accessibility, in: store) }?.status
                        == status)
            }
            // One locked class ends a batch of new keys before any seal is reserved for it.
            #expect(failure { _ = try enclave.createRowKeys(contexts) }?.status == expected.first { $0 != .success })
        }
        let always: Set<Accessibility> = [.always, .alwaysThisDeviceOnly]
        let afterFirst = always.union([.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly])
        try expect(.beforeFirstUnlock, open: always)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "open sesamE").outcome == .wrong)
        try expect(.beforeFirstUnlock, open: always)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "open sesame").outcome == .done)
        try expect(.unlocked, open: Set(Accessibility.allCases))
        try enclave.lock(store)
        try expect(.locked, open: afterFirst)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "open sesame").state == .unlocked)
        try expect(.unlocked, open: Set(Accessibility.allCases))
    }

    @Test func batchesAreBounded() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let most = [RowContext](repeating: .sample(store), count: EnclaveWire.maximumBatch)
        #expect(try enclave.createRowKeys(most).count == most.count)
        #expect(failure { _ = try enclave.createRowKeys(most + [.sample(store)]) }?.status == .param)
    }

    @Test func eachRequestNamesItsStore() throws {
        let other = StoreIdentifier()
        let first = try enclave.openStore(store, isEmpty: true)
        // An open store does not serve requests for another store.
        #expect(failure { _ = try enclave.createRowKeys([.sample(other)]) }?.status == .param)
        let second = try enclave.openStore(other, isEmpty: true)
        #expect(first.keybag != second.keybag && StoreKeyPurpose.allCases.allSatisfy { first[$0] != second[$0] })
        for (named, foreign) in [(store, other), (other, store)] {
            let context = RowContext.sample(named)
            let key = try #require(try enclave.createRowKeys([context]).first).wrapped(in: context)
            #expect(try enclave.openRowKeys([key]).map(\.status) == [.success])
            #expect(try enclave.openRowKeys([key], in: foreign).map(\.status) == [.param])
            #expect(failure { _ = try enclave.createRowKeys([context], in: foreign) }?.status == .param)
        }
        #expect(try enclave.openStore(store, isEmpty: false).keybag == first.keybag)
    }

    @Test func openStoresAreBounded() throws {
        let stores = (0..<EnclaveWire.maximumStores).map { _ in StoreIdentifier() }
        for store in stores { _ = try enclave.openStore(store, isEmpty: true) }
        let error = try #require(failure { _ = try enclave.openStore(store, isEmpty: true) })
        #expect(error.status == .notAvailable && error.reason.contains("\(EnclaveWire.maximumStores) stores"))
        // Open stores go on, and opening one of them again takes no further place.
        #expect(throws: Never.self) { try enclave.openStore(stores[0], isEmpty: false) }
        #expect(throws: Never.self) { try enclave.createRowKeys([.sample(stores[15])]) }
        _ = try enclave.answer(CloseStore(stores[3])).get()
        _ = try enclave.openStore(store, isEmpty: true)
        #expect(failure { _ = try enclave.createRowKeys([.sample(stores[3])]) }?.status == .param)
    }

    /// A closed keybag writes nothing more, because two objects of one keybag would not know of each other's keys.
    @Test func aClosedKeybagIsNotWritten() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let former = try enclave.keybag(of: store)
        for _ in 0..<2 {
            _ = try enclave.answer(CloseStore(store)).get()
        }
        #expect(failure { _ = try former.metadataKey(.always) }?.status == .param)
        let generation = try enclave.openStore(store, isEmpty: false).keybagGeneration
        #expect(failure { try former.noteMark() }?.status == .param)
        #expect(try enclave.openStore(store, isEmpty: false).keybagGeneration == generation)
    }

    @Test func reportTellsNoSecret() throws {
        _ = try enclave.openStore(store, isEmpty: true)
        let report = try enclave.answer(ReadCustodianReport()).get()
        #expect(report.backend == "software" && report.isUnlocked && !report.hasPasscode && report.classKeys == 6)
        guard case .failure(let error) = enclave.answer(OpenChannel()) else { throw Unexpected() }
        #expect(error.status == .param)
    }

    @Test func noKeyIsOnDiskInClear() throws {
        let keys = try enclave.openStore(store, isEmpty: true)
        let metadata = try enclave.metadataKeyForSealing(.always, in: store)
        let file = TemporaryFolder.read(folder.state + "/keybags/\(KeybagFile.name(of: store))")
        #expect(file.count > 1000)
        for key in StoreKeyPurpose.allCases.map({ keys[$0] }) + [metadata.key] {
            let bytes = key.withUnsafeBytes { Array($0) }
            #expect(!file.indices.contains { file[$0...].starts(with: bytes) })
        }
    }
}
