import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// A key that has sealed often enough is replaced, its rows still open, and no seal or id is used twice.
@Suite struct RotationTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()

    init() throws { folder = try TemporaryFolder() }

    private func enclave(threshold: UInt64, block: UInt64) -> Enclave {
        var settings = EnclaveSettings()
        settings.rotationThreshold = threshold
        settings.blockSize = block
        return Enclave(stateFolder: folder.state, settings: settings)
    }

    private func savedKeybag() throws -> Keybag {
        let root = try StateFolder.open(folder.state, files: .system, lockAttempts: 1)
        let backend = SoftwareBackend(folder: root)
        #expect(try backend.unlock())
        let name = KeybagFile.name(of: store)
        let keybags = try #require(try root.subfolder("keybags", creating: false))
        let content = try #require(try keybags.read(name, limit: KeybagFile.maximumBytes))
        return try KeybagFile(path: name, backend: backend).decode(content, for: store)
    }

    @Test func classKeysRotateAndOldOnesStillOpen() throws {
        var made: [(NewRowKey, RowContext)] = []
        do {
            let enclave = enclave(threshold: 100, block: 10)
            _ = try enclave.openStore(store, isEmpty: true)
            for _ in 0..<250 {
                let context = RowContext.sample(store)
                made.append((try #require(try enclave.createRowKeys([context]).first), context))
            }
        }
        var counts: [UInt32: Int] = [:]
        for (key, _) in made { counts[key.classKeyID, default: 0] += 1 }
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 <= 100 })
        #expect(made.map(\.0.classKeyID) == made.map(\.0.classKeyID).sorted(), "a retired key sealed again")

        let enclave = enclave(threshold: 100, block: 10)
        _ = try enclave.openStore(store, isEmpty: false)
        for (key, context) in made {
            #expect(try enclave.openRowKeys([key.wrapped(in: context)]).first?.get() == key.key)
        }
    }

    @Test func metadataKeysRotateAndOldOnesStillOpen() throws {
        let enclave = enclave(threshold: 100, block: 30)
        _ = try enclave.openStore(store, isEmpty: true)
        let keys = try (0..<7).map { _ in try enclave.metadataKeyForSealing(.always, in: store) }
        #expect(keys.allSatisfy { $0.sealsGranted == 30 })
        #expect(keys[0].id == keys[2].id && keys[2].id != keys[3].id && keys[3].id == keys[5].id)
        #expect(keys[5].id != keys[6].id && keys[0].key != keys[3].key)
        for key in keys {
            let again = try enclave.metadataKey(key.id, in: store)
            #expect(again.key == key.key && again.sealsGranted == 0)
        }
    }

    @Test func restartsNeverGiveASealTwice() throws {
        var ids: [UInt32] = []
        for round in 0..<6 {
            let enclave = enclave(threshold: 50, block: 10)
            _ = try enclave.openStore(store, isEmpty: round == 0)
            // One seal of the block is used, and the rest is lost with the process.
            ids.append(try #require(try enclave.createRowKeys([.sample(store)]).first).classKeyID)
        }
        #expect(Set(ids.prefix(4)).count == 1 && ids[5] != ids[0])
        let keybag = try savedKeybag()
        #expect(keybag.keys.allSatisfy { $0.sealsReserved <= 50 })
    }

    @Test func idsAreNeverUsedAgain() throws {
        do {
            let enclave = enclave(threshold: 2, block: 1)
            _ = try enclave.openStore(store, isEmpty: true)
            for accessibility in [Accessibility.always, .whenUnlocked] {
                for _ in 0..<10 {
                    _ = try enclave.metadataKeyForSealing(accessibility, in: store)
                    _ = try enclave.createRowKeys([.sample(store, accessibility)])
                }
            }
        }
        let keybag = try savedKeybag()
        #expect(keybag.keys.map(\.id) == keybag.keys.map(\.id).sorted() && keybag.isConsistent)
        #expect(keybag.nextKeyID == UInt32(keybag.keys.count + 1))
        #expect(keybag.keys.allSatisfy { $0.sealsReserved <= 2 })
        for kind in [KeybagKey.Kind.classKey, .metadataKey] {
            #expect(keybag.keys.count { $0.kind == kind && $0.retired == nil } == 6)
        }
    }

    @Test func reservationIsOnDiskBeforeItIsUsed() throws {
        do {
            let enclave = enclave(threshold: 1 << 30, block: 1 << 16)
            _ = try enclave.openStore(store, isEmpty: true)
            let key = try enclave.metadataKeyForSealing(.always, in: store)
            #expect(key.sealsGranted == 1 << 16)
            _ = try enclave.createRowKeys([.sample(store, .always)])
        }
        let keybag = try savedKeybag()
        let always = keybag.keys.filter { $0.accessibility == .always }
        #expect(always.first { $0.kind == .metadataKey }?.sealsReserved == 1 << 16)
        // The additional seal is the wrapping of the metadata key.
        #expect(always.first { $0.kind == .classKey }?.sealsReserved == 1 << 16 + 1)
    }

    @Test func destroyedIdsSaySo() throws {
        do {
            _ = try enclave(threshold: 100, block: 10).openStore(store, isEmpty: true)
        }
        var keybag = try savedKeybag()
        let victim = try #require(keybag.keys.last)
        keybag.keys.removeLast()
        keybag.destroyed = [victim.id]
        try write(keybag)
        let enclave = enclave(threshold: 100, block: 10)
        _ = try enclave.openStore(store, isEmpty: false)
        #expect(failure { _ = try enclave.metadataKey(victim.id, in: store) }?.status == .itemNotFound)
    }

    private func write(_ keybag: Keybag) throws {
        let root = try StateFolder.open(folder.state, files: .system, lockAttempts: 1)
        let backend = SoftwareBackend(folder: root)
        #expect(try backend.unlock())
        let name = KeybagFile.name(of: store)
        let content = try KeybagFile(path: name, backend: backend).encode(keybag)
        try #require(try root.subfolder("keybags", creating: false)).write(name, content, isReplacing: true)
    }
}
