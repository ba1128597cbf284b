/// What the process that hears the system says to securityd, and securityd to it: a number at a time.
enum SystemEvent: Int32, CaseIterable {
    /// A session of the user's was locked.
    case sessionLocked = 1
    /// The machine is about to sleep, and waits until the keys are gone.
    case sleep = 2
    /// All sessions of the user's have been idle for as long as the settings say.
    case idle = 3

    /// For the log.
    var words: String {
        switch self {
        case .sessionLocked: "a session was locked"
        case .sleep: "the machine goes to sleep"
        case .idle: "the sessions are idle"
        }
    }
}

/// What securityd answers; every other number, from 0 up, is the idle time-out in seconds.
enum SystemEventAnswer {
    /// The keys are gone.
    static let done: Int32 = -1
}

/// How much of the system is heard. The numbers go over the channel, too.
enum SystemHearing: Int32, Sendable {
    case noLibrary = 16
    case noBus = 17
    case noLogind = 18
    /// logind is heard, and lets nobody delay the sleep.
    case noDelay = 19
    case complete = 20

    /// The word in reports (`wire.md`); it never changes.
    var word: String {
        switch self {
        case .noLibrary: "no-library"
        case .noBus: "no-bus"
        case .noLogind: "no-logind"
        case .noDelay: "no-delay"
        case .complete: "complete"
        }
    }
}
