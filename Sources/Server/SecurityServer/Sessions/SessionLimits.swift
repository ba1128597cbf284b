import ChatelaineIPC

/// What the daemon allows its callers (behaviour/limits.md, 9 to 13).
enum SessionLimits {
    /// Connections of one process, and of all processes of a user.
    static let connectionsPerProcess = 16
    static let connectionsPerUser = 320
    /// Threads besides, of connections that have ended or whose place another got: each has only to find that out, and to have
    /// closed what is left of it.
    static let endingPerUser = 64
    /// Requests that wait for a person, of one program and of all of a user. Each has a thread and a connection, which do not count
    /// among the above; nobody answers more questions than that.
    static let inquiriesPerProgram = 8
    static let inquiriesPerUser = 64
    /// Requests of all programs for which processes work (`RequestWork`); the others wait with a connection that may be given away. Of
    /// these places some are left to programs that hold none.
    static let asides = 64
    static let asidesLeft = 16
    /// Connections that carry notifications: of one program and of all of a user; a process has one. Each has a thread, which do not
    /// count among the above.
    static let subscriptionsPerProgram = 16
    static let subscriptionsPerUser = 64
    /// Seconds for all passcodes that a request has announced, once they may be sent: whoever announces one has it.
    static let passcodeSeconds = 10
    /// How often, and after how many microseconds each time, a connection is looked at again for which there is no place: those
    /// that have ended are through within milliseconds, unless something holds them up.
    static let admissionAttempts = 20
    static let admissionPause: UInt32 = 5_000
    /// Seconds for a handshake from its beginning to its end; a client's takes a millisecond.
    static let handshakeSeconds = 10
    /// Between two remarks in the log that there were too many, in milliseconds: a flood of them would drive out the rest.
    static let remarkMilliseconds: Int64 = 10_000
    /// Frames larger than this count against ``bytesInFlight``; smaller ones are bounded by the connections.
    static let smallFrame = 64 * 1024
    /// Large requests in memory at one time, and as much again for answers: three of the largest, with their copies. Two
    /// budgets, since who asks by a large request for a large answer would hold some and wait for more.
    static let bytesInFlight = 3 * FrameLimits.requestBytes
    /// Seconds that the rest of such a frame may take once there is memory for it.
    static let largeFrameSeconds = 2
    /// Seconds that a client may have us wait, all in all, while it reads an answer that holds such memory.
    static let largeReplySeconds = 5
    /// Seconds that a large request waits for its turn.
    static let waitSeconds = 30
    /// What the answer to a search for large secrets counts against ``bytesInFlight``: as much as a large request.
    static let largeReplyBytes = FrameLimits.requestBytes
}
