import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

@Suite struct EnclaveTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let session: EnclaveSession

    init() throws {
        folder = try TemporaryFolder()
        session = Enclave(stateFolder: folder.state).makeSession()
    }

    private static let usable = Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }

    @Test func nothingIsTouchedBeforeAStoreIsOpened() {
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        #expect(failure { _ = try session.metadataKeyForSealing(.always) }?.status == .param)
        #expect(failure { _ = try session.createRowKeys([.sample(store)]) }?.status == .param)
    }

    @Test func rowKeysRoundTripInEveryClass() throws {
        _ = try session.openStore(store, isEmpty: true)
        let contexts = Self.usable.map { RowContext.sample(store, $0) }
        let keys = try session.createRowKeys(contexts)
        #expect(Set(keys.map(\.classKeyID)).count == contexts.count, "two classes share a key")
        let opened = try session.openRowKeys(zip(keys, contexts).map { $0.wrapped(in: $1) })
        for (key, result) in zip(keys, opened) { #expect(try result.get() == key.key) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.key != right.key) }
    }

    @Test func keysOutliveTheProcess() throws {
        let context = RowContext.sample(store)
        var (keys, metadata, row): (StoreKeys?, MetadataKey?, NewRowKey?)
        do {
            let first = Enclave(stateFolder: folder.path + "/own").makeSession()
            keys = try first.openStore(store, isEmpty: true)
            metadata = try first.metadataKeyForSealing(.always)
            row = try first.createRowKeys([context]).first
        }
        let second = Enclave(stateFolder: folder.path + "/own").makeSession()
        let again = try second.openStore(store, isEmpty: false)
        #expect(again.keybag == keys?.keybag)
        for purpose in StoreKeyPurpose.allCases { #expect(again[purpose] == keys?[purpose]) }
        #expect(try second.metadataKey(try #require(metadata).id).key == metadata?.key)
        let wrapped = try #require(row).wrapped(in: context)
        #expect(try second.openRowKeys([wrapped]).first?.get() == row?.key)
    }

    @Test func everyUseHasAKeyOfItsOwn() throws {
        let keys = try session.openStore(store, isEmpty: true)
        let bytes = Set(StoreKeyPurpose.allCases.map { keys[$0].withUnsafeBytes { Array($0) } })
        #expect(bytes.count == StoreKeyPurpose.allCases.count)
        // Numbers count from 0 without a gap, and no name stands for two.
        #expect(StoreKeyPurpose.allCases.map(\.rawValue) == Array(0..<UInt64(StoreKeyPurpose.allCases.count)))
        let names = StoreKeyPurpose.allCases.map(\.name) + [DerivedKeyPurpose.keybagAuthentication.name]
        #expect(Set(names).count == names.count)
        // The same bytes under two uses give different digests.
        let content: [UInt8] = Array("the same bytes".utf8)
        let digests = StoreKeyPurpose.allCases.map { purpose in
            content.withUnsafeBytes { KeyedDigest(keys[purpose]).digest($0) }
        }
        #expect(Set(digests).count == StoreKeyPurpose.allCases.count)
    }

    @Test func everyFieldOfTheContextCounts() throws {
        _ = try session.openStore(store, isEmpty: true)
        let context = RowContext.sample(store)
        let key = try #require(try session.createRowKeys([context]).first)
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
        for result in try session.openRowKeys(wrong) { #expect(result.status == .decode) }
        var foreign = context
        foreign.store = StoreIdentifier()
        #expect(try session.openRowKeys([key.wrapped(in: foreign)]).first?.status == .param)
        #expect(failure { _ = try session.createRowKeys([foreign]) }?.status == .param)
    }

    @Test func eachKeyHasAResultOfItsOwn() throws {
        _ = try session.openStore(store, isEmpty: true)
        let context = RowContext.sample(store)
        let good = try #require(try session.createRowKeys([context]).first).wrapped(in: context)
        var unknown = good
        unknown.classKeyID = 4_000_000_000
        var otherKind = good
        otherKind.classKeyID = try session.metadataKeyForSealing(.whenUnlocked).id
        var damaged = good
        damaged.wrapped[20] ^= 1
        var empty = good
        empty.wrapped = []
        let results = try session.openRowKeys([good, unknown, otherKind, damaged, empty, good])
        #expect(results.map(\.status) == [.success, .decode, .decode, .decode, .decode, .success])
        #expect(results[1].reason.contains("unknown key id") && results[2].reason.contains("unknown key id"))
        #expect(!results[3].reason.contains("unknown key id"))
        #expect(failure { _ = try session.metadataKey(good.classKeyID) }?.reason.contains("unknown key id") == true)
    }

    @Test func passcodeClassHasNoKeyWithoutAPasscode() throws {
        _ = try session.openStore(store, isEmpty: true)
        let context = RowContext.sample(store, .whenPasscodeSetThisDeviceOnly)
        #expect(failure { _ = try session.createRowKeys([context]) }?.status == .authFailed)
        #expect(
            failure { _ = try session.metadataKeyForSealing(.whenPasscodeSetThisDeviceOnly) }?.status == .authFailed)
    }

    @Test func lockedClassesAnswerThatTheyAreLocked() throws {
        _ = try session.openStore(store, isEmpty: true)
        let contexts = [Accessibility.whenUnlocked, .afterFirstUnlock, .always].map { RowContext.sample(store, $0) }
        let keys = zip(try session.createRowKeys(contexts), contexts).map { $0.wrapped(in: $1) }
        let metadata = try session.metadataKeyForSealing(.whenUnlocked)
        let other = try TemporaryFolder()
        let locked = Enclave(
            stateFolder: other.state, settings: EnclaveSettings(), files: .system,
            device: DeviceState(hasPasscode: true, isUnlocked: false, wasUnlocked: true)
        ).makeSession()
        _ = try locked.openStore(store, isEmpty: true)
        // A fresh keybag gives the same ids, so the answer is about the lock and not about the id.
        #expect(try locked.openRowKeys(keys).map(\.status) == [.interactionNotAllowed, .decode, .decode])
        #expect(failure { _ = try locked.metadataKey(metadata.id) }?.status == .interactionNotAllowed)
        #expect(failure { _ = try locked.createRowKeys([contexts[0]]) }?.status == .interactionNotAllowed)
        #expect(throws: Never.self) { try locked.createRowKeys([contexts[1], contexts[2]]) }
    }

    @Test func batchesAreBounded() throws {
        _ = try session.openStore(store, isEmpty: true)
        let most = [RowContext](repeating: .sample(store), count: EnclaveRequest.maximumBatch)
        #expect(try session.createRowKeys(most).count == most.count)
        #expect(failure { _ = try session.createRowKeys(most + [.sample(store)]) }?.status == .param)
    }

    @Test func sessionsKeepToTheirStores() throws {
        let other = StoreIdentifier()
        let first = try session.openStore(store, isEmpty: true)
        let sibling = session.makeSession()
        let second = try sibling.openStore(other, isEmpty: true)
        #expect(first.keybag != second.keybag && StoreKeyPurpose.allCases.allSatisfy { first[$0] != second[$0] })
        #expect(throws: Never.self) { try session.createRowKeys([.sample(store)]) }
        #expect(failure { _ = try sibling.createRowKeys([.sample(store)]) }?.status == .param)
        #expect(throws: Never.self) { try session.makeSession().createRowKeys([.sample(store)]) }
        #expect(try session.openStore(store, isEmpty: false).keybag == first.keybag)
    }

    @Test func sessionWithoutAStoreTakesTheOnlyOne() throws {
        let enclave = Enclave(stateFolder: folder.state)
        let (opener, early, late) = (enclave.makeSession(), enclave.makeSession(), enclave.makeSession())
        _ = try opener.openStore(store, isEmpty: true)
        #expect(throws: Never.self) { try early.createRowKeys([.sample(store)]) }
        let other = StoreIdentifier()
        _ = try opener.openStore(other, isEmpty: true)
        #expect(throws: Never.self) { try early.createRowKeys([.sample(store)]) }
        #expect(failure { _ = try early.createRowKeys([.sample(other)]) }?.status == .param)
        #expect(failure { _ = try late.createRowKeys([.sample(store)]) }?.status == .param)
    }

    @Test func reportTellsNoSecret() throws {
        _ = try session.openStore(store, isEmpty: true)
        guard case .report(let report) = session.answer(.report) else { throw Unexpected() }
        #expect(report.backend == "software" && report.isUnlocked && !report.hasPasscode && report.classKeys == 6)
        guard case .failure(let error) = session.answer(.openChannel) else { throw Unexpected() }
        #expect(error.status == .param)
    }

    @Test func noKeyIsOnDiskInClear() throws {
        let keys = try session.openStore(store, isEmpty: true)
        let metadata = try session.metadataKeyForSealing(.always)
        let file = TemporaryFolder.read(folder.state + "/keybags/\(KeybagFile.name(of: store))")
        #expect(file.count > 1000)
        for key in StoreKeyPurpose.allCases.map({ keys[$0] }) + [metadata.key] {
            let bytes = key.withUnsafeBytes { Array($0) }
            #expect(!file.indices.contains { file[$0...].starts(with: bytes) })
        }
    }
}
