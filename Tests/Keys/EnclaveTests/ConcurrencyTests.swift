import ChatelaineMemory
import ChatelaineModel
import Foundation
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Enclave

/// Threads that share a custodian get consistent keys.
@Suite struct ConcurrencyTests {
    /// Eight threads seal and open while keys rotate.
    @Test func eightThreadsShareACustodian() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        var settings = EnclaveSettings()
        settings.rotationThreshold = 500
        settings.blockSize = 50
        let enclave = Enclave(stateFolder: folder.state, settings: settings)
        _ = try enclave.openStore(store, isEmpty: true)
        let problems = Mutex<[String]>([])
        let seals = Mutex<[UInt32: Int]>([:])
        let grants = Mutex<[UInt32: Int]>([:])

        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for round in 0..<50 {
                do {
                    let contexts = (0..<5).map { _ in RowContext.sample(store, .always) }
                    let keys = try enclave.createRowKeys(contexts)
                    for key in keys { seals.withLock { $0[key.classKeyID, default: 0] += 1 } }
                    let opened = try enclave.openRowKeys(zip(keys, contexts).map { $0.wrapped(in: $1) })
                    for (key, result) in zip(keys, opened) where try result.get() != key.key {
                        problems.withLock { $0.append("another key came back") }
                    }
                    if round % 10 == 0 {
                        let key = try enclave.metadataKeyForSealing(.always, in: store)
                        grants.withLock { $0[key.id, default: 0] += Int(key.sealsGranted) }
                        if try enclave.metadataKey(key.id, in: store).key != key.key {
                            problems.withLock { $0.append("another metadata key came back") }
                        }
                        if try enclave.openStore(store, isEmpty: false)[.index].count != 32 {
                            problems.withLock { $0.append("no index key") }
                        }
                    }
                } catch { problems.withLock { $0.append("\(error)") } }
            }
        }
        #expect(problems.withLock { $0 } == [])
        // One expression with all of this takes the compiler seconds.
        let (sealed, expected): (Int, Int) = (seals.withLock { $0.values.reduce(0, +) }, 8 * 50 * 5)
        #expect(sealed == expected)
        #expect(seals.withLock { $0.values.allSatisfy { $0 <= 500 } })
        #expect(grants.withLock { $0.values.allSatisfy { $0 <= 500 } })
    }

    @Test func firstOpeningByManyMakesOneKeybag() throws {
        let folder = try TemporaryFolder()
        let store = StoreIdentifier()
        let enclave = Enclave(stateFolder: folder.state)
        let keybags = Mutex<Set<KeybagIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            if let keys = try? enclave.openStore(store, isEmpty: true) {
                keybags.withLock { _ = $0.insert(keys.keybag) }
            }
        }
        #expect(keybags.withLock { $0.count } == 1)
    }
}
