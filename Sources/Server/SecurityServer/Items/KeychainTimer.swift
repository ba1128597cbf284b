import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// How long an unlocked file keychain stays so without being used. Times are seconds of CLOCK_BOOTTIME, which go on while the machine sleeps.
struct KeychainTimer {
    /// Nil while it is locked, or as long as nobody knows them.
    private(set) var settings: KeychainSettings?
    private var lastUse = 0.0

    mutating func begin(_ new: KeychainSettings, now: Double) { (settings, lastUse) = (new, now) }

    mutating func end() { settings = nil }

    /// Begins the time anew; what is over stays over.
    mutating func use(now: Double) { if !isOver(now: now) { lastUse = now } }

    /// When it is over; nil for never.
    var deadline: Double? { settings?.seconds.map { lastUse + $0 } }

    func isOver(now: Double) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Where nobody knows, sleep locks.
    var locksOnSleep: Bool { settings?.locksOnSleep ?? true }
}

/// Locks file keychains whose time is over, from a thread of its own. Whoever asks for one finds out by itself: the thread is for those that nobody
/// asks for.
// `@unchecked Sendable`: what changes is touched under the monitor.
final class KeychainLocker: @unchecked Sendable {
    /// The clock of the wait stands still while the machine sleeps: after that it is late by this at the most.
    static let longestWait = 10.0

    private let monitor = Monitor()
    private var isRung = false

    /// There may be an earlier deadline than before.
    func ring() {
        monitor.locked { isRung = true }
        monitor.broadcast()
    }

    /// False where no thread can be had.
    func start(_ keychains: FileKeychainRegistry) -> Bool {
        Worker.start { [self] in
            while true {
                keychains.lockIdle()
                wait(until: keychains.nextDeadline, keychains.clock)
            }
        }
    }

    private func wait(until deadline: Double?, _ clock: () -> Double) {
        monitor.locked {
            if !isRung {
                if let deadline {
                    let seconds = min(max(0, deadline - clock()), Self.longestWait)
                    monitor.wait(milliseconds: Int(seconds * 1000) + 1)
                } else {
                    monitor.wait()
                }
            }
            isRung = false
        }
    }
}
