import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// The idle time after which an unlocked file keychain locks.
///
/// Times are seconds of CLOCK_BOOTTIME, which go on while the machine sleeps.
struct KeychainTimer {
    /// The settings of the keychain; nil while it is locked, or as long as they are unknown.
    private(set) var settings: KeychainSettings?
    private var lastUse = 0.0

    mutating func begin(_ new: KeychainSettings, now: Double) { (settings, lastUse) = (new, now) }

    mutating func end() { settings = nil }

    /// Restarts the idle time, unless it is over already.
    mutating func use(now: Double) { if !isOver(now: now) { lastUse = now } }

    /// When the idle time is over; nil for never.
    var deadline: Double? { settings?.seconds.map { lastUse + $0 } }

    func isOver(now: Double) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Whether sleep locks the keychain; true while its settings are unknown.
    var locksOnSleep: Bool { settings?.locksOnSleep ?? true }
}

/// Locks file keychains whose idle time is over, on a thread of its own.
///
/// A request notices the end of the time by itself. The thread is for keychains without requests.
final class KeychainLocker: Sendable {
    /// The longest wait, in seconds.
    ///
    /// The clock of the wait stops while the machine sleeps, so that a lock may be late by this much.
    static let longestWait = 10.0

    private let isRung = Monitor(false)

    /// Wakes the thread, since there may be an earlier deadline.
    func ring() {
        isRung.withLock { $0 = true }
        isRung.broadcast()
    }

    /// Starts the thread; false where none can be had.
    func start(_ keychains: FileKeychainRegistry) -> Bool {
        Worker.start { [self] in
            while true {
                // One keychain must not keep others from locking in their time.
                keychains.lockIdle(completing: FileKeychainRegistry.onThread)
                wait(until: keychains.nextDeadline, keychains.clock)
            }
        }
    }

    private func wait(until deadline: Double?, _ clock: () -> Double) {
        var hasWaited = false
        isRung.wait { isRung -> Awaited<Void> in
            guard isRung || hasWaited else {
                hasWaited = true
                let seconds = deadline.map { min(max(0, $0 - clock()), Self.longestWait) }
                return .nothing(milliseconds: seconds.map { Int($0 * 1000) + 1 })
            }
            isRung = false
            return .answer(())
        }
    }
}
