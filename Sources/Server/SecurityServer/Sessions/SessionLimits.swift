import ChatelaineIPC

/// The limits that the daemon sets its callers (behaviour/limits.md, 9 to 13).
enum SessionLimits {
    /// Connections of one process, and of all processes of a user.
    static let connectionsPerProcess = 16
    static let connectionsPerUser = 320
    /// Further threads, of connections that have ended or whose place another one got.
    ///
    /// Each has only to notice that and to close what is left.
    static let endingPerUser = 64
    /// Requests that wait for a person, of one program and of all of a user.
    ///
    /// Nobody answers more questions than that.
    ///
    /// Each has a thread and a connection, which do not count among those above.
    static let inquiriesPerProgram = 8
    static let inquiriesPerUser = 64
    /// Requests of all programs for which other processes work (`RequestWork`).
    ///
    /// Further ones wait, each with a connection that may be given away.
    ///
    /// Some of these places are kept for programs that hold none.
    static let asides = 64
    static let asidesLeft = 16
    /// Connections that carry notifications, of one program and of all of a user.
    ///
    /// A process has one.
    ///
    /// Each has a thread, and does not count among the connections above.
    static let subscriptionsPerProgram = 16
    static let subscriptionsPerUser = 64
    /// Seconds for all passcodes that a request has announced, once they may be sent.
    ///
    /// A caller that announces a passcode has it already.
    static let passcodeSeconds = 10
    /// How often, and after how many microseconds each time, a connection without a place tries again.
    ///
    /// Connections that have ended are through within milliseconds, unless something holds them up.
    static let admissionAttempts = 20
    static let admissionPause: UInt32 = 5_000
    /// Seconds for a whole handshake; a client's takes a millisecond.
    static let handshakeSeconds = 10
    /// The milliseconds between two log lines about too many connections.
    ///
    /// A flood of them would drive out the rest of the log.
    static let remarkMilliseconds: Int64 = 10_000
    /// Frames larger than this count against ``bytesInFlight``; smaller ones are bounded by the connections.
    static let smallFrame = 64 * 1024
    /// Bytes of large requests in memory at one time, and as many again for answers: three of the largest, with their
    /// copies.
    ///
    /// There are two budgets, since a large request for a large answer would hold some of a single one and wait for
    /// more.
    static let bytesInFlight = 3 * FrameLimits.requestBytes
    /// Seconds that the rest of a large frame may take once there is memory for it.
    static let largeFrameSeconds = 2
    /// Seconds that the daemon waits in all for a client that reads an answer held in that memory.
    static let largeReplySeconds = 5
    /// Seconds that a large request waits for its turn.
    static let waitSeconds = 30
    /// Seconds that a request waits for one of the places that programs share (``ProgramPlaces``).
    ///
    /// A program that is alone with its requests may need that long for hundreds of the slowest.
    static let placeSeconds = 60
    /// The bytes that the answer to a search for large secrets counts against ``bytesInFlight``: as many as a large
    /// request.
    static let largeReplyBytes = FrameLimits.requestBytes
}
