import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sealing
import SystemCalls
import TestSupport
import Testing

@testable import Enclave

/// Every file system call fails once, in every way and at every place, and no key is lost.
@Suite struct FaultTests {
    /// More calls than any of these operations makes.
    private static let mostCalls = 200
    private static let faults: [FaultyFiles.Fault] = [
        .instead(EIO), .instead(ENOSPC), .afterwards(EIO), .instead(EINTR), .short,
    ]

    private func enclave(_ folder: TemporaryFolder, _ files: FileCalls = .system) -> Enclave {
        Enclave(stateFolder: folder.state, files: files)
    }

    @Test(arguments: faults)
    func firstOpeningSurvivesEveryFailure(fault: FaultyFiles.Fault) throws {
        let store = StoreIdentifier()
        for call in 1...Self.mostCalls {
            let folder = try TemporaryFolder()
            let faulty = FaultyFiles(fault, atCall: call)
            var promised: StoreKeys?
            do {
                let enclave = enclave(folder, faulty.calls)
                let error = failure { promised = try enclave.openStore(store, isEmpty: true) }
                check(error, fault)
                // The same process may try again.
                let again = try enclave.openStore(store, isEmpty: true)
                if let promised { #expect(promised.keybag == again.keybag && promised[.index] == again[.index]) }
                promised = again
            }
            let after = try enclave(folder).openStore(store, isEmpty: false)
            #expect(after.keybag == promised?.keybag && after[.index] == promised?[.index])
            if !faulty.hasStruck { return }
        }
        Issue.record("the operation never ended without the fault")
    }

    @Test(arguments: faults)
    func changesSurviveEveryFailure(fault: FaultyFiles.Fault) throws {
        let store = StoreIdentifier()
        let folder = try TemporaryFolder()
        let context = RowContext.sample(store)
        var known: (NewRowKey, MetadataKey)?
        do {
            let enclave = enclave(folder)
            _ = try enclave.openStore(store, isEmpty: true)
            known = (
                try #require(try enclave.createRowKeys([context]).first),
                try enclave.metadataKeyForSealing(.whenUnlocked, in: store)
            )
        }
        let (row, metadata) = try #require(known)
        for call in 1...Self.mostCalls {
            let faulty = FaultyFiles(fault, atCall: call)
            var added: (NewRowKey, MetadataKey)?
            var told: UInt64 = 0
            do {
                let enclave = enclave(folder, faulty.calls)
                let error = failure {
                    _ = try enclave.openStore(store, isEmpty: false)
                    let key = try #require(try enclave.createRowKeys([context]).first)
                    added = (key, try enclave.metadataKeyForSealing(.whenUnlocked, in: store))
                }
                check(error, fault)
                if let keys = try? enclave.openStore(store, isEmpty: false) { told = keys.keybagGeneration }
            }
            let enclave = enclave(folder)
            // If the reported generation were ahead of the file on disk, the present file would look like an older one.
            #expect(try enclave.openStore(store, isEmpty: false).keybagGeneration >= told)
            for (row, metadata) in [(row, metadata)] + (added.map { [$0] } ?? []) {
                #expect(try enclave.openRowKeys([row.wrapped(in: context)]).first?.get() == row.key)
                #expect(try enclave.metadataKey(metadata.id, in: store).key == metadata.key)
            }
            if !faulty.hasStruck { return }
        }
        Issue.record("the operation never ended without the fault")
    }

    private func check(_ error: KeychainError?, _ fault: FaultyFiles.Fault) {
        switch fault {
        case .short, .instead(EINTR): #expect(error == nil)
        case .instead(ENOSPC):
            if let error { #expect(error.cause == .full) }
        default: if let error { #expect(error.cause == .disk) }
        }
    }

    @Test func failedWriteLeavesTheOldFileAndNoDraft() throws {
        let store = StoreIdentifier()
        let folder = try TemporaryFolder()
        _ = try enclave(folder).openStore(store, isEmpty: true)
        let path = folder.state + "/keybags/\(KeybagFile.name(of: store))"
        let before = TemporaryFolder.read(path)
        var full = FileCalls.system
        full.write = { _, _ throws(Errno) in throw .noSpace }
        var noRename = FileCalls.system
        noRename.renameat = { _, _, _ throws(Errno) in throw Errno(EIO) }
        var noSync = FileCalls.system
        // Folders are synced when they are opened, so only files fail here.
        noSync.fsync = { file throws(Errno) in
            guard try !FileCalls.system.fstat(file).isRegular else { throw Errno(EIO) }
            try FileCalls.system.fsync(file)
        }
        let faults: [(FileCalls, KeychainError.Cause)] = [(full, .full), (noRename, .disk), (noSync, .disk)]
        for (files, cause) in faults {
            let enclave = enclave(folder, files)
            _ = try enclave.openStore(store, isEmpty: false)
            #expect(failure { _ = try enclave.metadataKeyForSealing(.always, in: store) }?.cause == cause)
            #expect(failure { _ = try enclave.createRowKeys([.sample(store)]) }?.cause == cause)
            #expect(TemporaryFolder.read(path) == before)
            #expect(TemporaryFolder.names(in: folder.state + "/keybags") == [KeybagFile.name(of: store)])
        }
    }

    @Test func draftOfAnInterruptedWriteIsNoObstacle() throws {
        let store = StoreIdentifier()
        let folder = try TemporaryFolder()
        let keys = try enclave(folder).openStore(store, isEmpty: true)
        TemporaryFolder.write(folder.state + "/keybags/\(KeybagFile.name(of: store)).new", [1, 2, 3])
        let enclave = enclave(folder)
        #expect(try enclave.openStore(store, isEmpty: false).keybag == keys.keybag)
        _ = try enclave.metadataKeyForSealing(.always, in: store)
        #expect(TemporaryFolder.names(in: folder.state + "/keybags") == [KeybagFile.name(of: store)])
    }

    @Test func idsOfAFailedChangeAreNotUsedAgain() throws {
        let store = StoreIdentifier()
        let folder = try TemporaryFolder()
        var settings = EnclaveSettings()
        settings.rotationThreshold = 1
        settings.blockSize = 1
        // The rename happens but is reported as failed, so the file on disk has the new key.
        let strikes = Counter()
        var files = FileCalls.system
        files.renameat = { folder, old, new throws(Errno) in
            try FileCalls.system.renameat(folder, old, new)
            if strikes.next() == 4 { throw Errno(EIO) }
        }
        let enclave = Enclave(stateFolder: folder.state, settings: settings, files: files)
        _ = try enclave.openStore(store, isEmpty: true)
        let first = try enclave.metadataKeyForSealing(.always, in: store)
        #expect(failure { _ = try enclave.metadataKeyForSealing(.always, in: store) }?.cause == .disk)
        let second = try enclave.metadataKeyForSealing(.always, in: store)
        #expect(second.id > first.id + 1)
    }
}
