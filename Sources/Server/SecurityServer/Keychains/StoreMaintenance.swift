import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ItemStore
import ServerIPC
import SystemCalls

/// The background work on an open store.
///
/// It recovers what a damaged store left, seals rows anew under replaced keys, and compares the rows with those written
/// last. It also forgets old answers, and takes the daily snapshot.
enum StoreMaintenance {
    /// Seconds between two looks for work.
    private static let interval = 60
    /// Looks between two checks whether a snapshot is due.
    ///
    /// The first check comes that long after the start, when the first requests have long been served.
    private static let looksPerSnapshot = 10
    /// Looks between two comparisons of all rows with what was written: a day.
    ///
    /// The first comparison comes with the first look, and before the daily snapshot.
    private static let looksPerVerification = 1440
    /// Looks between two removals of answers to requests that nobody can repeat any more.
    private static let looksPerForgetting = 5

    /// Maintains a store on a thread of its own, until the store is retired or released.
    ///
    /// - Parameters:
    ///   - first: runs before anything else.
    ///   - recovered: runs after a recovery, once the store has all rows that could be recovered.
    ///   - each: runs at each look, for a store that is rarely open long enough for the other looks.
    static func start(
        _ store: ItemStore, of name: KeychainName, log: Log, first: (@Sendable (ItemStore) -> Void)? = nil,
        recovered: (@Sendable () -> Void)? = nil, each: (@Sendable (ItemStore) -> Void)? = nil
    ) {
        let reference = WeakReference(store)
        let bell = Bell()
        store.whenKeysChangeOrItEnds { bell.ring() }
        let isStarted = Worker.start {
            if let first, let store = reference.store { first(store) }
            var looks = 0
            var interruption: KeychainError?
            var next = MonotonicClock.seconds + interval
            while recover(reference.store, name, log, recovered) {
                let met = reseal(reference.store)
                // The obstacle may last, so only a new one is logged.
                if let met, met != interruption { log.report(.resealingInterrupted(met), of: name) }
                interruption = met
                // After a lock no keys must be left, on whatever stack rows were opened.
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

    /// Continues a recovery as long as it can; returns whether the store is still in use.
    private static func recover(
        _ store: ItemStore?, _ name: KeychainName, _ log: Log, _ recovered: (@Sendable () -> Void)?
    ) -> Bool {
        guard let store else { return false }
        let isRecovering = store.isRecovering
        do throws(KeychainError) {
            while !store.isRetired {
                guard try store.continueRecovery() else { break }
                usleep(store.recoveryPause)
            }
            if isRecovering, !store.isRecovering { recovered?() }
        } catch {
            if !store.isRetired { log.report(.recoveryInterrupted(error), of: name) }
        }
        return !store.isRetired
    }

    /// Seals rows anew as long as some can be; returns the error that ended it, if any.
    private static func reseal(_ store: ItemStore?) -> KeychainError? {
        guard let store else { return nil }
        do throws(KeychainError) {
            while !store.isRetired, try store.continueResealing() { usleep(store.resealingPause) }
            return nil
        } catch {
            return store.isRetired ? nil : error
        }
    }

    /// Checks all rows once.
    ///
    /// The store reports what is wrong.
    private static func verify(_ store: ItemStore?, _ name: KeychainName, _ log: Log) {
        guard let store, !store.isRetired else { return }
        do throws(KeychainError) {
            try store.verifyRows()
            // The process may have ended between the removal of a passcode and this step.
            try store.purgeDestroyed()
        } catch {
            // Locking ends a verification, which is no failure.
            if !store.isRetired, error.cause != .locked { log.report(.verificationFailed(error), of: name) }
        }
    }

    private static func forgetAnswers(_ store: ItemStore, _ name: KeychainName, _ log: Log) {
        do throws(KeychainError) { try store.forgetAnswers() } catch {
            if !store.isRetired { log.report(.maintenanceFailed(error), of: name) }
        }
    }

    /// Wakes whoever waits for the next look.
    private final class Bell: Sendable {
        private let isRung = Monitor(false)

        func ring() {
            isRung.withLock { $0 = true }
            isRung.broadcast()
        }

        /// Waits until that time at most; returns whether the bell was rung, meanwhile or before.
        func waits(until end: Int) -> Bool {
            isRung.wait { isRung -> Awaited<Bool> in
                let left = end - MonotonicClock.seconds
                guard isRung || left <= 0 else { return .nothing(milliseconds: left * 1000) }
                defer { isRung = false }
                return .answer(isRung)
            }
        }
    }

    /// A reference that keeps nothing alive.
    private final class WeakReference: Sendable {
        weak let store: ItemStore?
        init(_ store: ItemStore) { self.store = store }
    }
}
