import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// Hears logind on the system bus, in a process of its own with one thread.
///
/// Only the owner of logind's name is believed, identified by the unique name that the bus gives it. A signal that is
/// sent directly to this process bypasses the match rules of the bus. Nothing here waits. A bus or a logind that is
/// gone, or does not answer, is tried again at growing intervals. Where it cannot be found out in time which sessions
/// are locked, or whose a locked one is, the user's session counts as locked.
final class LogindWatch {
    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let rules = [
        "type='signal',sender='\(SystemBus.driver)',interface='\(SystemBus.driver)',member='NameOwnerChanged',arg0='\(name)'",
        "type='signal',sender='\(name)',interface='\(manager)',member='PrepareForSleep'",
        "type='signal',sender='\(name)',interface='\(session)',member='Lock'",
        "type='signal',sender='\(name)',interface='\(properties)',member='PropertiesChanged',arg0='\(session)'",
    ]

    /// Milliseconds for the greeting of the bus and the answers of logind: a thousand times what they take.
    static let patience: Int64 = 5_000
    /// Milliseconds before the bus is tried again, doubled each time.
    static let firstPause: Int64 = 1_000
    static let longestPause: Int64 = 60_000
    /// Milliseconds, at most, between two checks how long the sessions have been idle.
    static let longestIdlePause: Int64 = 30_000
    /// The number of questions under way.
    ///
    /// Beyond it, neither the owner of a locked session is asked for nor whether a session is locked, and the user's
    /// session counts as locked.
    static let mostQuestions = 64

    private enum Question {
        case rule
        case owner
        case inhibitor
        case isPreparing
        case sessions
        /// Whether a locked session is the user's.
        case user
        case isLocked
        case idleness
    }

    private let user: uid_t
    private let hasLibrary: Bool
    private var bus: SystemBus?
    private var questions: [UInt64: (question: Question, end: Int64)] = [:]
    private var isGreeted = false
    private var greetingEnd: Int64 = 0
    private var nextTry: Int64 = 0
    private var pause = LogindWatch.firstPause
    /// logind's unique name.
    private var owner: String?
    /// The inhibitor lock.
    ///
    /// While it is open, the machine delays its sleep for some seconds.
    private var inhibitor: Descriptor?
    private var sleep = SleepDelay()
    private var heard: Set<SystemEvent> = []
    private var isAmidMessages = false
    private var nextIdleLook: Int64 = 0
    /// The idle period for which everything was locked, by its beginning.
    private var lockedIdleness: UInt64 = 0

    /// Seconds until idle sessions lock; 0 for never.
    var idleTimeout: Int64 = 0 { didSet { nextIdleLook = 0 } }

    /// Makes a watch that is not connected.
    ///
    /// - Parameter hasLibrary: whether the library for the bus is loaded.
    init(user: uid_t, hasLibrary: Bool) {
        self.user = user
        self.hasLibrary = hasLibrary
    }

    var hearing: SystemHearing {
        guard hasLibrary else { return .noLibrary }
        guard isGreeted else { return .noBus }
        guard owner != nil else { return .noLogind }
        return inhibitor == nil ? .noDelay : .complete
    }

    /// The next event that was not reported yet, the most urgent first.
    func takeEvent() -> SystemEvent? {
        guard let event = [SystemEvent.sleep, .sessionLocked, .idle].first(where: heard.contains) else { return nil }
        heard.remove(event)
        if event == .sleep { sleep.tell() }
        return event
    }

    /// Lets the machine sleep, since the keys are gone since the last reported sleep.
    func letSleep() {
        sleep.answer()
        if sleep.isOver { inhibitor = nil }
    }

    /// Waits until there is something to do.
    ///
    /// Returns whether the channel is ready.
    func wait(or channel: Int32, now: Int64) -> Bool {
        var until = questions.values.map(\.end).min() ?? .max
        if hasLibrary, !isGreeted { until = min(until, bus == nil ? nextTry : greetingEnd) }
        if idleTimeout > 0, owner != nil { until = min(until, nextIdleLook) }
        if isAmidMessages { until = now }
        let milliseconds = until == .max ? -1 : Int32(clamping: max(0, until - now))
        return !SystemBus.wait(for: bus, or: [channel], milliseconds: milliseconds).isEmpty
    }

    /// Does everything that can be done without waiting.
    func work(now: Int64) {
        guard hasLibrary else { return }
        do throws(Errno) {
            if bus == nil {
                guard now >= nextTry else { return }
                bus = try SystemBus()
                greetingEnd = now + Self.patience
            }
            guard let bus else { return }
            isAmidMessages = try bus.takeMessages { message throws(Errno) in try take(message, now) }
            if !isGreeted {
                if bus.isReady {
                    isGreeted = true
                    try greet(now)
                } else if now >= greetingEnd {
                    throw .late
                }
            }
            try giveUp(now)
            try lookAtIdleness(now)
        } catch {
            disconnect(now)
        }
    }

    private func disconnect(_ now: Int64) {
        bus = nil
        isGreeted = false
        isAmidMessages = false
        owner = nil
        questions = [:]
        nextTry = now + pause
        pause = min(2 * pause, Self.longestPause)
        // The inhibitor stays, since it does not depend on the bus.
    }

    // MARK: Asking

    private func ask(
        _ question: Question, _ member: String, of interface: String, at path: String, to name: String,
        _ words: [String] = [], _ now: Int64
    ) throws(Errno) {
        guard let bus else { return }
        let serial = try bus.call(member, of: interface, at: path, to: name, words)
        questions[serial] = (question, now + Self.patience)
    }

    private func askDriver(_ question: Question, _ member: String, _ word: String, _ now: Int64) throws(Errno) {
        try ask(
            question, member, of: SystemBus.driver, at: "/org/freedesktop/DBus", to: SystemBus.driver, [word], now)
    }

    private func askManager(_ question: Question, _ member: String, _ words: [String], _ now: Int64) throws(Errno) {
        guard let owner else { return }
        try ask(question, member, of: Self.manager, at: Self.path, to: owner, words, now)
    }

    private func askProperty(_ question: Question, _ path: String, _ words: [String], _ now: Int64) throws(Errno) {
        guard let owner else { return }
        try ask(
            question, words.count > 1 ? "Get" : "GetAll", of: Self.properties, at: path, to: owner, words, now)
    }

    private func greet(_ now: Int64) throws(Errno) {
        for rule in Self.rules { try askDriver(.rule, "AddMatch", rule, now) }
        try askDriver(.owner, "GetNameOwner", Self.name, now)
    }

    /// Begins with a new logind, and asks for what it may have announced before.
    private func begin(with name: String, _ now: Int64) throws(Errno) {
        owner = name
        pause = Self.firstPause
        nextIdleLook = now
        try takeInhibitor(now)
        try askProperty(.isPreparing, Self.path, [Self.manager, "PreparingForSleep"], now)
        try askManager(.sessions, "ListSessions", [], now)
    }

    private func takeInhibitor(_ now: Int64) throws(Errno) {
        try askManager(
            .inhibitor, "Inhibit", ["sleep", "Chatelaine", "Keys have to be gone from memory", "delay"], now)
    }

    private func askWhose(_ path: String, _ now: Int64) throws(Errno) {
        guard questions.count < Self.mostQuestions else { return hear(.sessionLocked) }
        try askProperty(.user, path, [Self.session, "User"], now)
    }

    private func lookAtIdleness(_ now: Int64) throws(Errno) {
        guard idleTimeout > 0, owner != nil, now >= nextIdleLook else { return }
        nextIdleLook = now + min(Self.longestIdlePause, max(1_000, idleTimeout * 250))
        // The object path of the user: D-Bus paths escape a leading digit, and `_3` is the start of its code.
        try askProperty(.idleness, "\(Self.path)/user/_3\(user)", ["org.freedesktop.login1.User"], now)
    }

    /// Handles questions that were not answered in time.
    private func giveUp(_ now: Int64) throws(Errno) {
        for (serial, asked) in questions where now >= asked.end {
            questions[serial] = nil
            switch asked.question {
            case .rule, .owner: throw .late
            case .user, .sessions, .isLocked: hear(.sessionLocked)
            case .inhibitor, .isPreparing, .idleness: break
            }
        }
    }

    // MARK: Hearing

    private func hear(_ event: SystemEvent) { heard.insert(event) }

    private func take(_ message: BusMessage, _ now: Int64) throws(Errno) {
        switch message.kind {
        case .signal:
            if message.sender == SystemBus.driver { return try takeOwner(message, now) }
            // A signal that cannot be read may be a lock.
            do throws(Errno) { try takeSignal(message, now) } catch { hear(.sessionLocked) }
        case .answer(let serial):
            guard let asked = questions.removeValue(forKey: serial) else { return }
            do throws(Errno) { try takeAnswer(message, to: asked.question, now) } catch {
                // What logind has to be asked first could not be asked.
                if asked.question == .owner { throw error }
                // A malformed answer counts as a refusal.
                try takeRefusal(of: asked.question)
            }
        case .refusal(let serial):
            guard let asked = questions.removeValue(forKey: serial) else { return }
            try takeRefusal(of: asked.question)
        }
    }

    private func takeOwner(_ message: BusMessage, _ now: Int64) throws(Errno) {
        guard message.interface == SystemBus.driver, message.member == "NameOwnerChanged",
            try message.text() == Self.name
        else { return }
        _ = try message.text()
        let new = try message.text()
        owner = nil
        if !new.isEmpty { try begin(with: new, now) }
    }

    private func takeSignal(_ message: BusMessage, _ now: Int64) throws(Errno) {
        guard let owner, message.sender == owner else { return }
        switch (message.interface, message.member) {
        case (Self.manager, "PrepareForSleep"):
            if sleep.hear(try message.flag()) {
                hear(.sleep)
            } else if inhibitor == nil {
                try takeInhibitor(now)
            }
        case (Self.session, "Lock"): try askWhose(message.path, now)
        case (Self.properties, "PropertiesChanged"):
            guard try message.text() == Self.session else { return }
            var isLocked = false
            try message.properties { name throws(Errno) in
                guard name == "LockedHint" else { return false }
                isLocked = try message.variant("b") { () throws(Errno) in try message.flag() }
                return true
            }
            if isLocked { try askWhose(message.path, now) }
        default: break
        }
    }

    private func takeAnswer(_ message: BusMessage, to question: Question, _ now: Int64) throws(Errno) {
        switch question {
        case .rule: break
        case .owner: try begin(with: message.text(), now)
        case .inhibitor: inhibitor = try message.descriptor()
        case .isPreparing:
            let isPreparing = try message.variant("b") { () throws(Errno) in try message.flag() }
            if sleep.learn(isPreparing) { hear(.sleep) }
        case .sessions: try takeSessions(message, now)
        case .user:
            let user = try message.variant("(uo)") { () throws(Errno) in
                try message.structure("uo") { () throws(Errno) in
                    let user = try message.number32()
                    _ = try message.text("o")
                    return user
                }
            }
            if user == self.user { hear(.sessionLocked) }
        case .isLocked:
            if try message.variant("b", { () throws(Errno) in try message.flag() }) { hear(.sessionLocked) }
        case .idleness: try takeIdleness(message, now)
        }
    }

    private func takeRefusal(of question: Question) throws(Errno) {
        switch question {
        case .rule: throw .notPermitted
        // A session that has ended may have been the user's, and locked.
        case .user, .sessions, .isLocked: hear(.sessionLocked)
        case .owner, .inhibitor, .isPreparing, .idleness: break
        }
    }

    /// Asks whether one of the user's sessions is locked already.
    private func takeSessions(_ message: BusMessage, _ now: Int64) throws(Errno) {
        var paths: [String] = []
        try message.structures("susso") { () throws(Errno) in
            _ = try message.text()
            let user = try message.number32()
            _ = try message.text()
            _ = try message.text()
            let path = try message.text("o")
            if user == self.user { paths.append(path) }
        }
        for path in paths {
            guard questions.count < Self.mostQuestions else { return hear(.sessionLocked) }
            try askProperty(.isLocked, path, [Self.session, "LockedHint"], now)
        }
    }

    private func takeIdleness(_ message: BusMessage, _ now: Int64) throws(Errno) {
        var isIdle = false
        var since: UInt64 = 0
        try message.properties { name throws(Errno) in
            switch name {
            case "IdleHint": isIdle = try message.variant("b") { () throws(Errno) in try message.flag() }
            case "IdleSinceHintMonotonic":
                since = try message.variant("t") { () throws(Errno) in try message.number64() }
            default: return false
            }
            return true
        }
        // The time is 0 where there is no session, or where it is unknown.
        guard isIdle, since > 0, since != lockedIdleness else { return }
        let end = Int64(clamping: since / 1000) + idleTimeout * 1000
        guard now >= end else {
            nextIdleLook = min(nextIdleLook, end)
            return
        }
        lockedIdleness = since
        hear(.idle)
    }
}
