import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// Speaks to fprintd on the system bus, in a process of its own that has one thread: which fingers are enrolled, and whether one matches.
///
/// Nothing here waits. fprintd is started by the bus where it does not run, and only its own word is believed: of whoever owns its name, about the
/// device that is ours meanwhile. Whatever goes wrong is no match. A device that cannot be given back is given back by leaving the bus.
final class FprintClient {
    private static let name = "net.reactivated.Fprint"
    private static let managerPath = "/net/reactivated/Fprint/Manager"
    private static let manager = "net.reactivated.Fprint.Manager"
    private static let device = "net.reactivated.Fprint.Device"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let rules = [
        "type='signal',sender='\(SystemBus.driver)',interface='\(SystemBus.driver)',member='NameOwnerChanged',arg0='\(name)'",
        "type='signal',sender='\(name)',interface='\(device)',member='VerifyStatus'",
    ]
    /// The user who asks, in fprintd's words.
    private static let caller = ""

    /// Milliseconds for a look, with all that it takes.
    static let lookPatience = MatcherWire.patienceMilliseconds - 500
    /// For one step of a match: a device is opened, a permission looked up.
    static let stepPatience: Int64 = 10_000
    /// After a question that was not answered, nobody is kept waiting for another one.
    static let deafness: Int64 = 5_000
    /// Before a device is asked for again that somebody else has.
    static let claimPause: Int64 = 500
    static let mostLooks = 32
    /// Touches of which nothing was seen, in one match.
    private static let mostRetries = 64
    private static let messagesPerTurn = 64

    private enum Step {
        case queued
        case manager
        case owner
        case claim
        /// Until the device is asked for again.
        case pause
        case name
        case fingers
        case start
        case verify
        case stop
        case release
    }

    /// One look or match.
    private final class Task {
        let id: UInt64
        let isMatch: Bool
        var step = Step.queued
        /// When this step is over; of a look, when all is.
        var limit: Int64
        var path = ""
        var owner = ""
        var device = ""
        var enrolment: FingerEnrolment?
        var isClaimed = false
        /// Whether there is a report to come.
        var isAwaited = true
        var retries = 0

        init(_ order: MatcherOrder, limit: Int64) {
            id = order.id
            isMatch = order.kind == .match
            self.limit = limit
        }
    }

    private enum Question {
        case rule
        case step(Task)
    }

    private let hasLibrary: Bool
    private var bus: SystemBus?
    private var isGreeted = false
    private var greetingEnd: Int64 = 0
    private var isAmidMessages = false
    private var questions: [UInt64: Question] = [:]
    private var tasks: [Task] = []
    /// A match that waits until the device is given back.
    private var next: MatcherOrder?
    private var deafUntil: Int64 = 0
    private var reports: [MatcherReport] = []

    /// - Parameter hasLibrary: whether the bus can be spoken to at all.
    init(hasLibrary: Bool) { self.hasLibrary = hasLibrary }

    /// What was found out and not told yet.
    func takeReport() -> MatcherReport? { reports.isEmpty ? nil : reports.removeFirst() }

    // MARK: Orders

    func take(_ order: MatcherOrder, now: Int64) {
        switch order.kind {
        case .stop: stop(order.id, now)
        case .look:
            guard isHeard(now), tasks.count < Self.mostLooks else { return report(.enrolment, order.id) }
            tasks.append(Task(order, limit: now + Self.lookPatience))
        case .match:
            guard isHeard(now) else { return report(.failed, order.id) }
            if tasks.contains(where: \.isMatch) {
                if let next { report(.failed, next.id) }
                next = order
            } else {
                tasks.append(Task(order, limit: now + Self.stepPatience))
            }
        }
    }

    /// Whoever gave the orders is gone.
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

    /// Nobody waits for it: a device that is ours, or is about to be, is given back.
    private func abandon(_ task: Task, _ now: Int64) {
        task.isAwaited = false
        attempt(now) { () throws(Errno) in
            switch task.step {
            case .queued, .manager, .owner, .pause: end(task, now)
            case .name, .fingers: task.isClaimed ? try release(task, now) : end(task, now)
            case .verify: try stopVerifying(task, now)
            // What was asked for comes, or the bus is left.
            case .claim, .start, .stop, .release: break
            }
        }
    }

    // MARK: Turns

    /// Waits until there is something to do; which of the others have something, by their places.
    func wait(or others: [Int32], now: Int64) -> Set<Int> {
        var until = tasks.map(\.limit).min() ?? .max
        if bus != nil, !isGreeted { until = min(until, greetingEnd) }
        if isAmidMessages || bus == nil && !tasks.isEmpty { until = now }
        let milliseconds = until == .max ? -1 : Int32(clamping: max(0, until - now))
        return SystemBus.wait(for: bus, or: others, milliseconds: milliseconds)
    }

    /// Does what there is to do, without waiting.
    func work(now: Int64) {
        attempt(now) { () throws(Errno) in
            if bus == nil {
                guard !tasks.isEmpty else { return }
                bus = try SystemBus()
                greetingEnd = now + Self.lookPatience
            }
            guard let bus else { return }
            try takeMessages(from: bus, now)
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
            // With the bus, a device that was ours is given back.
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

    /// What was not answered in time.
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

    // MARK: Asking

    private func ask(
        _ task: Task, _ step: Step, _ member: String, of interface: String, at path: String, to name: String,
        _ words: [String] = [], now: Int64
    ) throws(Errno) {
        guard let bus else { throw .invalid }
        task.step = step
        if task.isMatch { task.limit = now + Self.stepPatience }
        let serial = try bus.call(
            member, of: interface, at: path, to: name, words, starts: step == .manager)
        questions[serial] = .step(task)
    }

    private func askDriver(_ question: Question, _ member: String, _ word: String) throws(Errno) {
        guard let bus else { throw .invalid }
        let serial = try bus.call(
            member, of: SystemBus.driver, at: "/org/freedesktop/DBus", to: SystemBus.driver, [word])
        questions[serial] = question
    }

    private func askDevice(
        _ task: Task, _ step: Step, _ member: String, _ words: [String] = [], of interface: String = device,
        now: Int64
    ) throws(Errno) {
        try ask(task, step, member, of: interface, at: task.path, to: task.owner, words, now: now)
    }

    private func claim(_ task: Task, _ now: Int64) throws(Errno) {
        try askDevice(task, .claim, "Claim", [Self.caller], now: now)
    }

    private func stopVerifying(_ task: Task, _ now: Int64) throws(Errno) {
        try askDevice(task, .stop, "VerifyStop", now: now)
    }

    private func release(_ task: Task, _ now: Int64) throws(Errno) {
        try askDevice(task, .release, "Release", now: now)
    }

    // MARK: Reporting

    private func report(_ kind: MatcherReport.Kind, _ id: UInt64, _ enrolment: FingerEnrolment? = nil) {
        reports.append(MatcherReport(kind, id, enrolment))
    }

    private func tell(_ task: Task, _ kind: MatcherReport.Kind, _ enrolment: FingerEnrolment? = nil) {
        if task.isAwaited { report(kind, task.id, enrolment) }
        task.isAwaited = false
    }

    private func fail(_ task: Task) { tell(task, task.isMatch ? .failed : .enrolment) }

    private func end(_ task: Task, _ now: Int64) {
        tasks.removeAll { $0 === task }
        guard task.isMatch, let order = next else { return }
        next = nil
        tasks.append(Task(order, limit: now + Self.stepPatience))
    }

    /// Nothing comes of it.
    private func giveBack(_ task: Task, _ now: Int64) throws(Errno) {
        fail(task)
        if task.isClaimed, task.step != .release { try release(task, now) } else { end(task, now) }
    }

    // MARK: Hearing

    private func takeMessages(from bus: SystemBus, _ now: Int64) throws(Errno) {
        isAmidMessages = false
        for _ in 0..<Self.messagesPerTurn {
            switch try bus.next() {
            case .nothing: return
            case .something: continue
            case .message(let message): try take(message, now)
            }
        }
        isAmidMessages = true
    }

    private func take(_ message: BusMessage, _ now: Int64) throws(Errno) {
        switch message.kind {
        case .signal: try takeSignal(message, now)
        case .answer(let serial):
            guard case .step(let task)? = questions.removeValue(forKey: serial), isThere(task) else { return }
            do throws(Errno) { try read(message, for: task) } catch { return try giveBack(task, now) }
            try goOn(task, now)
        case .refusal(let serial):
            switch questions.removeValue(forKey: serial) {
            case nil: return
            case .rule: throw .notPermitted
            case .step(let task):
                guard isThere(task) else { return }
                try takeRefusal(message.error, of: task, now)
            }
        }
    }

    private func isThere(_ task: Task) -> Bool { tasks.contains { $0 === task } }

    /// Takes over what an answer says; throws what is no answer.
    private func read(_ message: BusMessage, for task: Task) throws(Errno) {
        switch task.step {
        case .queued, .pause, .verify: throw Self.unexpected
        case .manager:
            let path = try message.text("o")
            guard path.utf8.count <= MatcherWire.maximumNameBytes, !message.sender.isEmpty else {
                throw Self.unexpected
            }
            (task.path, task.owner) = (path, message.sender)
            return
        // Whoever answered for fprintd has to be who the bus says that it is.
        case .owner:
            guard message.sender == SystemBus.driver, try message.text() == task.owner else { throw Self.unexpected }
            return
        case .claim, .start, .stop, .release: break
        case .name: task.device = try message.variant("s") { () throws(Errno) in try message.text() }
        case .fingers:
            task.enrolment = FingerEnrolment(
                device: task.device, fingers: try message.texts(limit: MatcherWire.maximumFingers))
            guard task.enrolment != nil else { throw Self.unexpected }
        }
        guard message.sender == task.owner else { throw Self.unexpected }
    }

    private static let unexpected = Errno(EBADMSG)

    /// What comes after an answer.
    private func goOn(_ task: Task, _ now: Int64) throws(Errno) {
        switch task.step {
        case .queued, .pause, .verify: break
        case .manager:
            task.step = .owner
            try askDriver(.step(task), "GetNameOwner", Self.name)
        case .owner: task.isMatch ? try claim(task, now) : try askName(task, now)
        case .claim:
            task.isClaimed = true
            task.isAwaited ? try askName(task, now) : try release(task, now)
        case .name: try askDevice(task, .fingers, "ListEnrolledFingers", [Self.caller], now: now)
        case .fingers: try takeEnrolment(task, now)
        case .start:
            guard task.isAwaited else { return try stopVerifying(task, now) }
            task.step = .verify
            // A person takes as long as they like; whoever waits for them says when it is enough.
            task.limit = .max
        case .stop: try release(task, now)
        case .release: end(task, now)
        }
    }

    private func askName(_ task: Task, _ now: Int64) throws(Errno) {
        try askDevice(task, .name, "Get", [Self.device, "name"], of: Self.properties, now: now)
    }

    private func takeEnrolment(_ task: Task, _ now: Int64) throws(Errno) {
        guard task.isMatch else {
            tell(task, .enrolment, task.enrolment)
            return end(task, now)
        }
        guard let enrolment = task.enrolment, !enrolment.fingers.isEmpty else { return try giveBack(task, now) }
        // While the device is ours, nobody changes what is enrolled.
        try askDevice(task, .start, "VerifyStart", ["any"], now: now)
    }

    private func takeRefusal(_ error: String, of task: Task, _ now: Int64) throws(Errno) {
        switch (task.step, error) {
        case (.claim, "net.reactivated.Fprint.Error.AlreadyInUse") where task.isAwaited:
            task.step = .pause
            task.limit = now + Self.claimPause
        case (.fingers, "net.reactivated.Fprint.Error.NoEnrolledPrints"):
            task.enrolment = FingerEnrolment(device: task.device, fingers: [])
            task.enrolment == nil ? try giveBack(task, now) : try takeEnrolment(task, now)
        case (.stop, _): try release(task, now)
        case (.release, _): end(task, now)
        default: try giveBack(task, now)
        }
    }

    private func takeSignal(_ message: BusMessage, _ now: Int64) throws(Errno) {
        // What cannot be read is no match, and nothing else.
        if message.sender == SystemBus.driver {
            guard message.interface == SystemBus.driver, message.member == "NameOwnerChanged",
                let owner = try? formerOwner(message), !owner.isEmpty
            else { return }
            for task in tasks where task.owner == owner {
                fail(task)
                end(task, now)
            }
            return
        }
        guard
            let task = tasks.first(where: {
                $0.step == .verify && $0.owner == message.sender && $0.path == message.path
            }), message.interface == Self.device, message.member == "VerifyStatus",
            let status = try? verifyStatus(message)
        else { return }
        switch (status.result, status.isDone) {
        case ("verify-match", true): tell(task, .matched, task.enrolment)
        case ("verify-no-match", true): tell(task, .notMatched)
        case (_, true): fail(task)
        case (_, false):
            task.retries += 1
            guard task.retries > Self.mostRetries else { return }
            fail(task)
        }
        try stopVerifying(task, now)
    }

    private func formerOwner(_ message: BusMessage) throws(Errno) -> String {
        guard try message.text() == Self.name else { return "" }
        return try message.text()
    }

    private func verifyStatus(_ message: BusMessage) throws(Errno) -> (result: String, isDone: Bool) {
        (try message.text(), try message.flag())
    }
}
