import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// The keybag keeps the keys that wrap keys which programs store themselves.
@Suite struct DetachedKeybagTests {
    private let folder: TemporaryFolder
    private let enclave: Enclave
    private let store = StoreIdentifier()

    init() throws {
        folder = try TemporaryFolder()
        enclave = Enclave(stateFolder: folder.path, settings: .quick())
        _ = try enclave.openStore(store, isEmpty: true)
    }

    private func make(_ accessibility: Accessibility = .whenUnlocked) throws -> SealedKey {
        var row = RowContext.sample(store)
        (row.itemClass, row.keyCustody, row.accessibility) = (.key, .detached, accessibility)
        let made = try enclave.answer(MakeSealedKey(.generated(.ec, bits: 256), at: row, in: store)).get()
        let wrapped = WrappedRowKey(classKeyID: made.classKeyID, wrapped: made.wrapped, context: row)
        return SealedKey(rowKey: wrapped, sealed: made.sealed)
    }

    private func signs(_ key: SealedKey, _ enclave: Enclave? = nil) -> Bool {
        let task = KeyTask.sign(algorithm: "algid:sign:ECDSA:digest-X962", [UInt8](repeating: 7, count: 32))
        guard case .success = (enclave ?? self.enclave).answer(UseSealedKey(key, task, in: store)) else { return false }
        return true
    }

    private var version: UInt8 {
        let path = "\(folder.path)/keybags/\(KeybagFile.name(of: store))"
        return TemporaryFolder.read(path)[3 + "chatelaine keybag".utf8.count + 1]
    }

    @Test func aKeybagWithoutOneIsAsItWas() throws {
        _ = try enclave.metadataKeyForSealing(.always, in: store)
        #expect(version == UInt8(KeybagFile.versionWithoutDetachedKeys))
        _ = try make()
        #expect(version == UInt8(KeybagFile.versionWithoutSignedRecords))
    }

    @Test func itIsWrappedByAKeyOfItsOwnThatStays() throws {
        let before = try make()
        let report = try enclave.passcode(SetPasscode(store), "a passcode")
        #expect(!report.supersededKeys.contains(before.rowKey.classKeyID))
        let after = try make()
        #expect(after.rowKey.classKeyID != before.rowKey.classKeyID, "one that no copy of before opens")
        for id in [before, after].map(\.rowKey.classKeyID) {
            guard case .failure(let error) = enclave.answer(DestroyKeys([id], in: store)) else { throw Unexpected() }
            #expect(error.status == .param)
        }
        _ = enclave.answer(DestroyKeys(report.supersededKeys, in: store))
        #expect(signs(before) && signs(after))
        // A key of rows does not open such a key, and such a key does not open a row.
        var renamed = before
        renamed.rowKey.context.keyCustody = .enclave
        #expect(!signs(renamed))
    }

    /// No class key can be made while the device is locked, so the class keys that may be needed exist before.
    @Test func oneIsMadeWhileTheDeviceIsLocked() throws {
        let before = try make()
        _ = try enclave.passcode(SetPasscode(store), "a passcode")
        try enclave.lock(store)
        for accessibility in [Accessibility.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly] {
            #expect(signs(try make(accessibility)))
        }
        // Other classes are locked, as for everything sealed by them.
        #expect(failure { _ = try make(.whenUnlocked) }?.status == .interactionNotAllowed)
        #expect(try enclave.passcode(MakeNewKeys(.agent, in: store), "a passcode").outcome == .done)
        #expect(signs(try make(.afterFirstUnlock)))
        #expect(!signs(before))
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "a passcode").outcome == .done)
        #expect(signs(before))
    }

    @Test func withoutOneBeforeTheLockNoneIsMade() throws {
        _ = try enclave.passcode(SetPasscode(store), "a passcode")
        try enclave.lock(store)
        #expect(failure { _ = try make(.afterFirstUnlock) }?.status == .interactionNotAllowed)
        #expect(try enclave.passcode(UnlockStore(.agent, in: store), "a passcode").outcome == .done)
        _ = try make(.whenUnlocked)
        try enclave.lock(store)
        #expect(signs(try make(.afterFirstUnlock)))
    }

    @Test func aKeybagFromDiskHasThem() throws {
        let key = try make()
        _ = enclave.answer(CloseStore(store))
        _ = try enclave.openStore(store, isEmpty: false)
        #expect(signs(key))
    }
}
