import ChatelaineMemory
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import Enclave

/// Files that are missing, damaged, foreign, newer or accessible to others each have their own error, and nothing
/// changes.
@Suite struct DamageTests {
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()
    private let keybagPath: String
    private let uidPath: String

    init() throws {
        folder = try TemporaryFolder()
        keybagPath = folder.state + "/keybags/\(KeybagFile.name(of: store))"
        uidPath = folder.state + "/uid.key"
        _ = try enclave().openStore(store, isEmpty: true)
    }

    private func enclave() -> Enclave {
        Enclave(stateFolder: folder.state)
    }

    /// The error of opening a store, with or without rows.
    ///
    /// Opening must change no file.
    private func refusal(isEmpty: Bool = false) -> KeychainError? {
        let before = (TemporaryFolder.read(keybagPath), TemporaryFolder.read(uidPath))
        let error = failure { _ = try enclave().openStore(store, isEmpty: isEmpty) }
        #expect(before == (TemporaryFolder.read(keybagPath), TemporaryFolder.read(uidPath)))
        return error
    }

    @Test func modesAndOwnersAreRight() {
        #expect(TemporaryFolder.mode(folder.state) == 0o700)
        #expect(TemporaryFolder.mode(folder.state + "/keybags") == 0o700)
        #expect(TemporaryFolder.mode(keybagPath) == 0o600 && TemporaryFolder.mode(uidPath) == 0o600)
    }

    @Test func missingKeybagOfAStoreWithRows() {
        #expect(rename(keybagPath, folder.path + "/kept") == 0)
        let error = refusal()
        #expect(error?.status == .notAvailable && error?.reason.contains("keybag of store") == true)
        #expect(TemporaryFolder.names(in: folder.state + "/keybags").isEmpty)
    }

    @Test(arguments: [true, false]) func missingUIDKey(isEmpty: Bool) {
        #expect(rename(uidPath, folder.path + "/kept") == 0)
        let error = refusal(isEmpty: isEmpty)
        #expect(error?.status == .notAvailable && error?.reason.contains("UID key") == true)
        #expect(TemporaryFolder.names(in: folder.state) == ["keybags"])
    }

    @Test func nothingIsMadeForAStoreWithRows() throws {
        let empty = try TemporaryFolder()
        let enclave = Enclave(stateFolder: empty.state)
        #expect(failure { _ = try enclave.openStore(store, isEmpty: false) }?.status == .notAvailable)
        #expect(TemporaryFolder.names(in: empty.state).isEmpty)
    }

    @Test func keybagOfAnotherStore() throws {
        let other = StoreIdentifier()
        _ = try enclave().openStore(other, isEmpty: true)
        #expect(rename(folder.state + "/keybags/\(KeybagFile.name(of: other))", keybagPath) == 0)
        for isEmpty in [true, false] {
            let error = refusal(isEmpty: isEmpty)
            #expect(error?.status == .internalComponent && error?.reason.contains("another store") == true)
        }
    }

    @Test func keybagUnderAnotherUIDKey() throws {
        let other = try TemporaryFolder()
        _ = try Enclave(stateFolder: other.state).openStore(store, isEmpty: true)
        TemporaryFolder.write(uidPath, TemporaryFolder.read(other.state + "/uid.key"))
        let error = refusal(isEmpty: true)
        #expect(error?.status == .internalComponent && error?.reason.contains("another UID key") == true)
    }

    @Test func everyByteOfTheKeybagCounts() {
        let good = TemporaryFolder.read(keybagPath)
        for index in stride(from: 0, to: good.count, by: 7) {
            var damaged = good
            damaged[index] ^= 1
            TemporaryFolder.write(keybagPath, damaged)
            let error = refusal(isEmpty: true)
            #expect(error?.status == .internalComponent || error?.status == .notAvailable, "byte \(index)")
        }
        for length in stride(from: 0, to: good.count, by: 101) {
            TemporaryFolder.write(keybagPath, Array(good.prefix(length)))
            #expect(refusal(isEmpty: true)?.status == .internalComponent, "length \(length)")
        }
        var last = good
        last[good.count - 1] ^= 1
        TemporaryFolder.write(keybagPath, last)
        #expect(refusal()?.reason.contains("authentication") == true)
    }

    @Test func everyByteOfTheUIDKeyCounts() {
        let good = TemporaryFolder.read(uidPath)
        for index in good.indices {
            var damaged = good
            damaged[index] ^= 1
            TemporaryFolder.write(uidPath, damaged)
            #expect(refusal(isEmpty: true) != nil, "byte \(index)")
            TemporaryFolder.write(uidPath, Array(good.prefix(index)))
            #expect(refusal(isEmpty: true)?.status == .internalComponent, "length \(index)")
        }
    }

    @Test func newerVersionsAreRefused() throws {
        var keybag = TemporaryFolder.read(keybagPath)
        // The version follows the magic: map head, key 0, text head, text, key 1.
        let place = 3 + "chatelaine keybag".utf8.count + 1
        try #require(keybag[place - 1] == 1 && keybag[place] < UInt8(Enclave.keybagVersion))
        keybag[place] = UInt8(Enclave.keybagVersion) + 1
        TemporaryFolder.write(keybagPath, keybag)
        var error = refusal(isEmpty: true)
        #expect(error?.status == .notAvailable && error?.reason.contains("newer") == true)
        var uidKey = TemporaryFolder.read(uidPath)
        let uidPlace = 3 + "chatelaine uid key".utf8.count + 1
        try #require(uidKey[uidPlace - 1] == 1 && uidKey[uidPlace] == 1)
        uidKey[uidPlace] = 23
        TemporaryFolder.write(uidPath, uidKey)
        error = refusal(isEmpty: true)
        #expect(error?.status == .notAvailable && error?.reason.contains("newer") == true)
    }

    @Test func tooLongFilesAreDamage() {
        TemporaryFolder.write(uidPath, [UInt8](repeating: 0, count: 5000))
        #expect(refusal(isEmpty: true)?.status == .internalComponent)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o4600] as [mode_t]) func filesOpenToOthersAreRefused(mode: mode_t) {
        for path in [keybagPath, uidPath] {
            chmod(path, mode)
            let error = refusal(isEmpty: true)
            #expect(error?.status == .notAvailable && error?.reason.contains("mode") == true)
            #expect(TemporaryFolder.mode(path) == mode, "a wrong mode was mended")
            chmod(path, 0o600)
        }
        #expect(refusal() == nil)
    }

    @Test func foldersOpenToOthersAreRefused() {
        for path in [folder.state, folder.state + "/keybags"] {
            chmod(path, 0o750)
            #expect(refusal(isEmpty: true)?.reason.contains("mode") == true)
            chmod(path, 0o700)
        }
        #expect(refusal() == nil)
    }

    /// A folder inherits the bit from one above, as a workspace that several people share.
    @Test func theGroupOfAFolderMayBeInherited() {
        for path in [folder.state, folder.state + "/keybags"] {
            chmod(path, 0o2700)
            #expect(refusal() == nil)
        }
        chmod(keybagPath, 0o2600)
        #expect(refusal(isEmpty: true)?.reason.contains("mode") == true)
    }

    @Test(.enabled(if: geteuid() == 0)) func ownersAreChecked() {
        for path in [folder.state, folder.state + "/keybags", keybagPath, uidPath] {
            #expect(chown(path, 20_017, 20_017) == 0)
            #expect(refusal(isEmpty: true)?.reason.contains("belongs to user 20017") == true)
            #expect(chown(path, 0, 0) == 0)
        }
    }

    @Test func linksAndPipesAreRefused() {
        for path in [keybagPath, uidPath, folder.state + "/keybags", folder.state] {
            #expect(rename(path, folder.path + "/real") == 0)
            #expect(symlink(folder.path + "/real", path) == 0)
            #expect(failure { _ = try enclave().openStore(store, isEmpty: true) }?.status == .notAvailable)
            unlink(path)
            if path != folder.state {
                #expect(mkfifo(path, 0o600) == 0)
                #expect(failure { _ = try enclave().openStore(store, isEmpty: true) }?.status == .notAvailable)
                unlink(path)
            }
            #expect(rename(folder.path + "/real", path) == 0)
        }
        #expect(refusal() == nil)
    }

    @Test func oneCustodianAtATime() throws {
        let first = enclave()
        _ = try first.openStore(store, isEmpty: false)
        var impatient = EnclaveSettings()
        impatient.lockAttempts = 1
        let second = Enclave(stateFolder: folder.state, settings: impatient)
        let error = failure { _ = try second.openStore(store, isEmpty: false) }
        #expect(error?.status == .notAvailable && error?.reason.contains("another enclaved") == true)
        withExtendedLifetime(first) {}
    }

    @Test func relativeFoldersAreRefused() {
        let enclave = Enclave(stateFolder: "state")
        #expect(failure { _ = try enclave.openStore(store, isEmpty: true) }?.status == .notAvailable)
    }
}
