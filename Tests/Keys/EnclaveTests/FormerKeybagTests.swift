import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// Keybags of former versions open without loss, and the next change writes them in the present version.
@Suite struct FormerKeybagTests {
    private let store = FormerKeybags.store

    private static func home(version: UInt64) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        mkdir(folder.state, 0o700)
        mkdir(folder.state + "/keybags", 0o700)
        TemporaryFolder.write(folder.state + "/uid.key", [UInt8](FormerKeybags.uidKey))
        TemporaryFolder.write(path(in: folder), [UInt8](try #require(FormerKeybags.files[version])))
        return folder
    }

    private static func path(in folder: TemporaryFolder) -> String {
        folder.state + "/keybags/\(KeybagFile.name(of: FormerKeybags.store))"
    }

    /// The byte of the version, after the head of the map, the magic with its key and head, and the version's key.
    private static func version(in folder: TemporaryFolder) -> UInt8 {
        TemporaryFolder.read(path(in: folder))[3 + "chatelaine keybag".utf8.count + 1]
    }

    private func start(_ folder: TemporaryFolder) throws -> Enclave {
        let enclave = Enclave(stateFolder: folder.state, settings: .quick())
        _ = try enclave.openStore(store, isEmpty: false)
        return enclave
    }

    private func expectAllToOpen(_ enclave: Enclave) throws {
        for (id, key) in FormerKeybags.metadataKeys {
            #expect(try enclave.metadataKey(id, in: store).key == SecretBytes(key))
        }
        let row = WrappedRowKey(classKeyID: 1, wrapped: FormerKeybags.wrapped, context: FormerKeybags.context)
        #expect(try enclave.openRowKeys([row]).first?.get() == SecretBytes(FormerKeybags.rowKey))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func openAndAreWrittenAnewWithTheNextChange(version: UInt64) throws {
        let folder = try Self.home(version: version)
        let before = TemporaryFolder.read(Self.path(in: folder))
        do {
            let enclave = try start(folder)
            try expectAllToOpen(enclave)
            #expect(try enclave.status(of: store) == PasscodeReport())
            #expect(TemporaryFolder.read(Self.path(in: folder)) == before, "opening is no change")
            _ = try enclave.metadataKeyForSealing(.always, in: store)
            #expect(Self.version(in: folder) == KeybagFile.versionWithoutDetachedKeys)
            try expectAllToOpen(enclave)
        }
        try expectAllToOpen(try start(folder))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func takeAPasscodeAsTheirFirstChange(version: UInt64) throws {
        let folder = try Self.home(version: version)
        do {
            let enclave = try start(folder)
            let report = try enclave.passcode(SetPasscode(store), "a passcode")
            // The former class keys and their metadata keys are superseded.
            #expect(report.supersededKeys.contains(1) && report.supersededKeys.contains(2))
            #expect(!report.supersededKeys.contains(6))
            try expectAllToOpen(enclave)
        }
        let enclave = try start(folder)
        #expect(failure { _ = try enclave.metadataKey(2, in: store) }?.status == .interactionNotAllowed)
        _ = try enclave.passcode(UnlockStore(.agent, in: store), "a passcode")
        try expectAllToOpen(enclave)
    }

    /// The signing key exists since version 4. A keybag of version 3 gets one with the first signature.
    @Test func aPasscodeOfVersion3Opens() throws {
        let folder = try TemporaryFolder()
        let store = KeybagOfVersion3.store
        let path = folder.state + "/keybags/\(KeybagFile.name(of: store))"
        mkdir(folder.state, 0o700)
        mkdir(folder.state + "/keybags", 0o700)
        TemporaryFolder.write(folder.state + "/uid.key", [UInt8](KeybagOfVersion3.uidKey))
        TemporaryFolder.write(path, [UInt8](KeybagOfVersion3.file))
        var settings = EnclaveSettings()
        let clock = FakeBootClock()
        settings.clock = clock.clock
        let later = Enclave(stateFolder: folder.state, settings: settings)
        _ = try later.openStore(store, isEmpty: false)
        // A missing file of tries counts as many wrong ones.
        #expect(try later.passcode(UnlockStore(.agent, in: store), KeybagOfVersion3.passcode).outcome == .delayed)
        #expect(TemporaryFolder.read(path) == [UInt8](KeybagOfVersion3.file))
        clock.advance(by: 61 * FakeBootClock.minute)
        #expect(try later.passcode(UnlockStore(.agent, in: store), KeybagOfVersion3.passcode).state == .unlocked)
        let digest = [UInt8](repeating: 1, count: Endorsement.digestBytes)
        let report = try later.passcode(EndorseRecords(digest, .agent, in: store), KeybagOfVersion3.passcode)
        #expect(try later.isEndorsed(digest, try #require(report.endorsement), in: store))
        #expect(try later.passcode(VerifyPasscode(.agent, in: store), KeybagOfVersion3.passcode).outcome == .done)
    }

    /// A body of version 2 may contain nothing of version 3, whoever authenticates it.
    @Test func haveNothingOfLaterVersions() throws {
        var keybag = Keybag(id: KeybagIdentifier(), store: store, created: 1, changed: 1)
        keybag.nextKeyID = 2
        var key = KeybagKey(
            id: 1, kind: .classKey, accessibility: .whenUnlocked, parent: 0, wrapped: [UInt8](repeating: 1, count: 60),
            sealsReserved: 0, created: 1, retired: 2)
        func read(as version: UInt64) throws -> Keybag {
            var writer = CBORWriter()
            keybag.encodeBody(to: &writer)
            return try writer.withUnsafeBytes {
                try Keybag(body: $0, version: version, id: keybag.id, store: keybag.store)
            }
        }
        key.isSuperseded = true
        keybag.keys = [key]
        #expect(try read(as: 3) == keybag)
        for version in [1, 2] as [UInt64] { #expect(throws: CBORError.self) { try read(as: version) } }
        // A key that seals is not superseded. Only keys that a passcode protects are wrapped twice.
        keybag.keys[0].retired = nil
        #expect(throws: CBORError.self) { try read(as: 3) }
        keybag.keys[0].isSuperseded = false
        #expect(throws: Never.self) { try read(as: 3) }
        keybag.keys[0].wrapped = [UInt8](repeating: 1, count: 88)
        #expect(throws: CBORError.self) { try read(as: 3) }
        let record = PasscodeRecord(
            protector: PasswordSeal(
                salt: Bytes16(repeating: 1), parameters: .least, check: [UInt8](repeating: 2, count: 32),
                wrapped: [UInt8](repeating: 3, count: 60)))
        keybag.passcode = record
        #expect(try read(as: 3) == keybag)
        keybag.keys[0].wrapped = [UInt8](repeating: 1, count: 60)
        #expect(throws: CBORError.self) { try read(as: 3) }
        keybag.keys = []
        keybag.passcode?.endorsementKey = EndorsementKey(
            wrapped: [UInt8](repeating: 4, count: 60), publicKey: [UInt8](repeating: 5, count: 32), number: 6)
        #expect(try read(as: 4) == keybag)
        #expect(throws: CBORError.self) { try read(as: 3) }
        #expect(throws: CBORError.self) { try read(as: 6) }
        keybag.passcode?.signed = SignedRecords(digest: [UInt8](repeating: 6, count: 32), haveTrust: true)
        #expect(try read(as: 6) == keybag)
        for version in [4, 5] as [UInt64] { #expect(throws: CBORError.self) { try read(as: version) } }
        keybag.passcode?.signed = SignedRecords(digest: nil, haveTrust: true)
        #expect(try read(as: 6) == keybag)
        keybag.passcode?.signed = SignedRecords(digest: [1], haveTrust: true)
        #expect(throws: CBORError.self) { try read(as: 6) }
    }

    /// A signed keybag of version 4 does not say what it signed.
    ///
    /// It may have been settings of trust, until the records are checked again.
    @Test func whatVersion4HasSignedIsLearntFromTheRecords() {
        let key = EndorsementKey(
            wrapped: [UInt8](repeating: 4, count: 60), publicKey: [UInt8](repeating: 5, count: 32), number: 1)
        #expect(SignedRecords.former(key) == SignedRecords(digest: nil, haveTrust: true))
        #expect(SignedRecords.former(nil) == nil)
        var unused = key
        unused.number = 0
        #expect(SignedRecords.former(unused) == nil)
    }
}
