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

/// What a custodian that has worked still holds, found by looking for keys that it handed out.
@Suite(.enabled(if: geteuid() == 0, "needs root: it reads the memory of a process that cannot be traced"))
struct LeftoverTests {
    @Test func nothingIsLeftOfKeysThatWereHandedOut() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        let process = try EnclavedProcess(["--state-folder", folder.state])
        guard case .store(let keys) = try process.ask(.openStore(store, isEmpty: true)) else { throw Unexpected() }
        guard case .metadataKey(let metadata) = try process.ask(.metadataKeyForSealing(.whenUnlocked, in: store))
        else {
            throw Unexpected()
        }
        var rowKeys: [[UInt8]] = []
        var classKeyID: UInt32 = 0
        for round in 0..<40 {
            let contexts = (0...round).map { _ in RowContext.sample(store) }
            guard case .newRowKeys(let made) = try process.ask(.createRowKeys(contexts, in: store)) else {
                throw Unexpected()
            }
            let wrapped = zip(made, contexts).map { $0.wrapped(in: $1) }
            guard case .rowKeys(let opened) = try process.ask(.openRowKeys(wrapped, in: store)) else {
                throw Unexpected()
            }
            #expect(opened.count == contexts.count)
            rowKeys.append(bytes(of: made[round].key))
            classKeyID = made[round].classKeyID
        }
        let uidKey = try #require(Self.uidKey(in: folder.state))
        let memory = ProcessMemory(of: process.pid)
        // Keys of rows are nobody's but the caller's any more.
        #expect(memory.regions(holding: rowKeys).map(\.name) == [])
        // What it keeps, it keeps in locked memory. With the class key it sealed and opened by AES-GCM, a key schedule each.
        let classKey = try classKey(classKeyID, of: store, in: folder)
        let kept =
            StoreKeyPurpose.allCases.map { bytes(of: keys[$0]) } + [bytes(of: metadata.key), uidKey, classKey]
        #expect(memory.regions(holding: kept).filter { !$0.isLocked }.map(\.name) == [])
        // The search finds what is there.
        for key in [uidKey, classKey] { #expect(!memory.regions(holding: [key]).isEmpty) }
    }

    /// From a copy of the state, since the custodian that runs keeps others away from its own.
    private func classKey(_ id: UInt32, of store: StoreIdentifier, in folder: TemporaryFolder) throws -> [UInt8] {
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: folder.state, toPath: copy)
        let (keybag, _) = try Enclave(stateFolder: copy).open(store, isEmpty: false)
        return bytes(of: try keybag.key(id, .classKey).secret)
    }

    private func bytes(of key: SecretBytes) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// Key 2 of the file: 32 bytes (keybag.md).
    private static func uidKey(in state: String) -> [UInt8]? {
        let file = TemporaryFolder.read(state + "/uid.key")
        let head: [UInt8] = [0x02, 0x58, 0x20]
        return file.indices.dropLast(34).first { file[$0..<($0 + 3)].elementsEqual(head) }
            .map { Array(file[($0 + 3)..<($0 + 35)]) }
    }
}
