import ChatelaineIPC

/// What the daemon allows its callers (rulings, 26).
enum SessionLimits {
    /// Connections of one process, and of all processes of a user.
    static let connectionsPerProcess = 16
    static let connectionsPerUser = 256
    /// Threads besides, of connections whose place another got: each has only to find that out.
    static let endingPerUser = 64
    /// Between two remarks in the log that there were too many, in milliseconds: a flood of them would drive out the rest.
    static let remarkMilliseconds: Int64 = 10_000
    /// Frames larger than this count against ``bytesInFlight``; smaller ones are bounded by the connections.
    static let smallFrame = 64 * 1024
    /// Large requests in memory at one time: three of the largest, with their copies.
    static let bytesInFlight = 64 * 1024 * 1024
    /// Seconds that the rest of such a frame may take once there is memory for it.
    static let largeFrameSeconds = 2
    /// Seconds that a large request waits for its turn.
    static let turnSeconds = 30
    /// What the answer to a search for large secrets counts against ``bytesInFlight``: as much as a large request.
    static let largeReplyBytes = FrameLimits.requestBytes
}
