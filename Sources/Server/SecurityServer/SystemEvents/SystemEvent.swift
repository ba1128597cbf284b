/// An event that the process that hears the system reports to securityd; each message is a number.
enum SystemEvent: Int32, CaseIterable {
    /// A session of the user was locked.
    case sessionLocked = 1
    /// The machine is about to sleep, and waits until the keys are gone.
    case sleep = 2
    /// All sessions of the user have been idle for as long as the settings say.
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

/// The answers of securityd.
///
/// Every other number, from 0 up, is the idle time-out in seconds.
enum SystemEventAnswer {
    /// The keys are gone.
    static let done: Int32 = -1
}
