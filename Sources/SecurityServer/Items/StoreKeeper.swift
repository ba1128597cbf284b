import ChatelaineIPC
import ChatelaineModel
import Glibc
import ItemStore

/// The work on an open store that nobody waits for: taking over what a damaged one left, and the snapshot of the day.
enum StoreKeeper {
    /// Between two looks whether there is something to do, in seconds.
    private static let interval: UInt32 = 60
    /// Looks between which it is asked whether a snapshot is due; the first time that long after the start, when whoever
    /// started the daemon has long been served.
    private static let looksPerSnapshot = 10
    /// Between two steps of a recovery, for those who wait for what is theirs; in microseconds.
    private static let pause: UInt32 = 1_000

    /// Keeps a store from a thread of its own, until it is retired or nobody has it any more.
    static func start(_ store: ItemStore, log: Log) {
        let kept = Kept(store)
        let isStarted = Worker.start {
            var looks = 0
            while recover(kept.store, log) {
                sleep(interval)
                looks += 1
                guard looks % looksPerSnapshot == 0 else { continue }
                guard let store = kept.store, !store.isRetired else { return }
                store.takeSnapshotIfDue()
            }
        }
        if !isStarted { log.error("no thread can be had to keep the store") }
    }

    /// Goes on with a recovery as long as it can; answers whether the store is still in use.
    private static func recover(_ store: ItemStore?, _ log: Log) -> Bool {
        guard let store else { return false }
        do throws(KeychainError) {
            while !store.isRetired {
                guard try store.continueRecovery() else { break }
                usleep(pause)
            }
        } catch {
            if !store.isRetired { log.report(.recoveryInterrupted(error)) }
        }
        return !store.isRetired
    }

    /// A reference that keeps nothing alive.
    private final class Kept: Sendable {
        weak let store: ItemStore?
        init(_ store: ItemStore) { self.store = store }
    }
}
