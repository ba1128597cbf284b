import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc
import ItemStore
import ServerIPC
import ChatelaineSystem
import SystemCalls

/// The work on an open store that nobody waits for: taking over what a damaged one left, sealing rows anew whose keys were replaced, a look
/// whether the rows are those that were written last, forgetting answers, and the snapshot of the day.
enum StoreMaintenance {
    /// Between two looks whether there is something to do, in seconds.
    private static let interval = 60
    /// Looks between which it is asked whether a snapshot is due; the first time that long after the start, when whoever
    /// started the daemon has long been served.
    private static let looksPerSnapshot = 10
    /// Looks between which all rows are compared with what was written, a day; the first time when whoever started the daemon
    /// has long been served, and before the snapshot of the day.
    private static let looksPerVerification = 1440
    /// Looks between which answers to requests are forgotten that nobody can ask for any more.
    private static let looksPerForgetting = 5

    /// Keeps a store from a thread of its own, until it is retired or nobody has it any more.
    ///
    /// - Parameters:
    ///   - first: what is done before anything else.
    ///   - each: what is done at each look, for a store that is rarely open as long as the other looks take.
    static func start(
        _ store: ItemStore, of name: KeychainName, log: Log, first: (@Sendable (ItemStore) -> Void)? = nil,
        each: (@Sendable (ItemStore) -> Void)? = nil
    ) {
        let reference = WeakReference(store)
        let bell = Bell()
        store.whenKeysChangeOrItEnds { bell.ring() }
        let isStarted = Worker.start {
            if let first, let store = reference.store { first(store) }
            var looks = 0
            var interruption: KeychainError?
            var next = MonotonicClock.seconds + interval
            while recover(reference.store, name, log) {
                let met = reseal(reference.store)
                // What keeps it from going on may do so for long.
                if let met, met != interruption { log.report(.resealingInterrupted(met), of: name) }
                interruption = met
                // Whoever locks wants to have nothing left of keys, wherever rows were opened.
                ChatelaineMemory.wipeStack()
                guard !bell.waits(until: next) else { continue }
                next = MonotonicClock.seconds + interval
                looks += 1
                if looks % looksPerVerification == 1 || reference.store?.wasWrittenFromOutside() == true {
                    verify(reference.store, name, log)
                }
                if let each, let store = reference.store, !store.isRetired { each(store) }
                guard looks % looksPerForgetting == 0 else { continue }
                guard let store = reference.store, !store.isRetired else { return }
                forgetAnswers(store, name, log)
                if each == nil, looks % looksPerSnapshot == 0 { store.takeSnapshotIfDue() }
            }
        }
        if !isStarted { log.error("no thread can be had to keep the store", ["keychain": name.text]) }
    }

    /// Goes on with a recovery as long as it can; answers whether the store is still in use.
    private static func recover(_ store: ItemStore?, _ name: KeychainName, _ log: Log) -> Bool {
        guard let store else { return false }
        do throws(KeychainError) {
            while !store.isRetired {
                guard try store.continueRecovery() else { break }
                usleep(store.recoveryPause)
            }
        } catch {
            if !store.isRetired { log.report(.recoveryInterrupted(error), of: name) }
        }
        return !store.isRetired
    }

    /// Seals rows anew as long as there are some that can be; answers what has ended it, if something did.
    private static func reseal(_ store: ItemStore?) -> KeychainError? {
        guard let store else { return nil }
        do throws(KeychainError) {
            while !store.isRetired, try store.continueResealing() { usleep(store.resealingPause) }
            return nil
        } catch {
            return store.isRetired ? nil : error
        }
    }

    /// Goes through all rows once; what it finds is reported by the store.
    private static func verify(_ store: ItemStore?, _ name: KeychainName, _ log: Log) {
        guard let store, !store.isRetired else { return }
        do throws(KeychainError) {
            try store.verifyRows()
            // Where the process ended between the removal of a passcode and this.
            try store.purgeDestroyed()
        } catch {
            if !store.isRetired { log.report(.verificationFailed(error), of: name) }
        }
    }

    private static func forgetAnswers(_ store: ItemStore, _ name: KeychainName, _ log: Log) {
        do throws(KeychainError) { try store.forgetAnswers() } catch {
            if !store.isRetired { log.report(.maintenanceFailed(error), of: name) }
        }
    }

    /// Wakes whoever waits for the next look.
    // `@unchecked Sendable`: what changes is touched under the monitor.
    private final class Bell: @unchecked Sendable {
        private let monitor = Monitor()
        private var isRung = false

        func ring() {
            monitor.locked { isRung = true }
            monitor.broadcast()
        }

        /// Waits until then at most; whether it was rung meanwhile, or before.
        func waits(until end: Int) -> Bool {
            monitor.locked {
                while !isRung, MonotonicClock.seconds < end {
                    monitor.wait(milliseconds: max(1, end - MonotonicClock.seconds) * 1000)
                }
                defer { isRung = false }
                return isRung
            }
        }
    }

    /// A reference that keeps nothing alive.
    private final class WeakReference: Sendable {
        weak let store: ItemStore?
        init(_ store: ItemStore) { self.store = store }
    }
}
