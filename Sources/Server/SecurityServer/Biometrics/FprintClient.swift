import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// Asks fprintd on the system bus which fingers are enrolled and whether one matches.
///
/// It runs in a process of its own with one thread.
///
/// Nothing here waits. The bus starts fprintd where it does not run. Only the owner of fprintd's name is believed,
/// about the device that is claimed. Every error counts as no match. A device that cannot be released is released by
/// leaving the bus.
final class FprintClient {
    static let name = "net.reactivated.Fprint"
    private static let managerPath = "/net/reactivated/Fprint/Manager"
    static let manager = "net.reactivated.Fprint.Manager"
    static let device = "net.reactivated.Fprint.Device"
    static let properties = "org.freedesktop.DBus.Properties"
    private static let rules = [
        "type='signal',sender='\(SystemBus.driver)',interface='\(SystemBus.driver)',member='NameOwnerChanged',arg0='\(name)'",
        "type='signal',sender='\(name)',interface='\(device)',member='VerifyStatus'",
    ]
    /// The calling user, in fprintd's terms.
    static let caller = ""

    /// Milliseconds for a whole look at the enrolment.
    private static let lookPatience = MatcherWire.patienceMilliseconds - 500
    /// Milliseconds for one step of a match, such as opening a device or checking a permission.
    static let stepPatience: Int64 = 10_000
    /// Milliseconds after an unanswered question during which no further one is asked.
    private static let deafness: Int64 = 5_000
    /// Milliseconds before a device that somebody else has claimed is tried again.
    static let claimPause: Int64 = 500
    private static let mostLooks = 32
    /// Touches without a usable image in one match.
    static let mostRetries = 64

    enum Question {
        case rule
        case step(FprintTask)
    }

    private let hasLibrary: Bool
    var bus: SystemBus?
    private var isGreeted = false
    private var greetingEnd: Int64 = 0
    private var isAmidMessages = false
    var questions: [UInt64: Question] = [:]
    var tasks: [FprintTask] = []
    /// A match that waits until the device is released.
    var next: MatcherOrder?
    private var deafUntil: Int64 = 0
    var reports: [MatcherReport] = []

    /// Makes a client that is not connected.
    ///
    /// - Parameter hasLibrary: whether the library for the bus is loaded.
    init(hasLibrary: Bool) { self.hasLibrary = hasLibrary }

    /// The next report that was not sent yet.
    func takeReport() -> MatcherReport? { reports.isEmpty ? nil : reports.removeFirst() }

    // MARK: Orders

    func take(_ order: MatcherOrder, now: Int64) {
        switch order.kind {
        case .stop: stop(order.id, now)
        case .look:
            guard isHeard(now), tasks.count < Self.mostLooks else { return report(.enrolment, order.id) }
            tasks.append(FprintTask(order, limit: now + Self.lookPatience))
        case .match:
            guard isHeard(now) else { return report(.failed, order.id) }
            if tasks.contains(where: \.isMatch) {
                if let next { report(.failed, next.id) }
                next = order
            } else {
                tasks.append(FprintTask(order, limit: now + Self.stepPatience))
            }
        }
    }

    /// Forgets all orders, since the custodian that gave them is gone.
    func forgetOrders(now: Int64) {
        next = nil
        for task in tasks { abandon(task, now) }
        reports = []
    }

    private func isHeard(_ now: Int64) -> Bool { hasLibrary && now >= deafUntil }

    private func stop(_ id: UInt64, _ now: Int64) {
        if next?.id == id { next = nil }
        if let task = tasks.first(where: { $0.id == id }) { abandon(task, now) }
    }

    /// Abandons a task, for which nobody waits any more.
    ///
    /// A device that is claimed, or is about to be, is released.
    private func abandon(_ task: FprintTask, _ now: Int64) {
        task.isAwaited = false
        attempt(now) { () throws(Errno) in
            switch task.step {
            case .queued, .manager, .owner, .pause: end(task, now)
            case .name, .fingers: task.isClaimed ? try release(task, now) : end(task, now)
            case .verify: try stopVerifying(task, now)
            // The answer comes, or the client leaves the bus.
            case .claim, .start, .stop, .release: break
            }
        }
    }

    // MARK: Turns

    /// Waits until there is something to do.
    ///
    /// Returns the indexes of the other descriptors that are ready.
    func wait(or others: [Int32], now: Int64) -> Set<Int> {
        var until = tasks.map(\.limit).min() ?? .max
        if bus != nil, !isGreeted { until = min(until, greetingEnd) }
        if isAmidMessages || bus == nil && !tasks.isEmpty { until = now }
        let milliseconds = until == .max ? -1 : Int32(clamping: max(0, until - now))
        return SystemBus.wait(for: bus, or: others, milliseconds: milliseconds)
    }

    /// Does everything that can be done without waiting.
    func work(now: Int64) {
        attempt(now) { () throws(Errno) in
            if bus == nil {
                guard !tasks.isEmpty else { return }
                bus = try SystemBus()
                greetingEnd = now + Self.lookPatience
            }
            guard let bus else { return }
            isAmidMessages = try bus.takeMessages { message throws(Errno) in try take(message, now) }
            if !isGreeted {
                if bus.isReady {
                    isGreeted = true
                    for rule in Self.rules { try askDriver(.rule, "AddMatch", rule) }
                } else if now >= greetingEnd {
                    throw .late
                }
            }
            if isGreeted { try begin(now) }
            try giveUp(now)
        }
    }

    private func attempt(_ now: Int64, _ body: () throws(Errno) -> Void) {
        do throws(Errno) { try body() } catch {
            if error == .late { deafUntil = now + Self.deafness }
            // Leaving the bus releases a claimed device.
            bus = nil
            isGreeted = false
            isAmidMessages = false
            questions = [:]
            for task in tasks { fail(task) }
            tasks = []
            if let next { report(.failed, next.id) }
            next = nil
        }
    }

    private func begin(_ now: Int64) throws(Errno) {
        for task in tasks where task.step == .queued {
            try ask(task, .manager, "GetDefaultDevice", of: Self.manager, at: Self.managerPath, to: Self.name, now: now)
        }
    }

    /// Handles tasks that were not answered in time.
    private func giveUp(_ now: Int64) throws(Errno) {
        for task in tasks where now >= task.limit {
            if task.step == .pause {
                try claim(task, now)
            } else if task.isMatch {
                throw .late
            } else {
                deafUntil = now + Self.deafness
                fail(task)
                end(task, now)
            }
        }
    }
}
