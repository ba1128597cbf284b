/// Limits that a client sets for itself.
package enum ClientLimits {
    /// Connections of one process (behaviour/limits.md, 10); a call beyond that waits until one is free.
    static let connections = 16
    /// How many of ``connections`` may be kept for authentications: half, so that other calls always have connections.
    static let keptConnections = 8
    /// How many of ``connections`` long calls may hold (``RequestWork/long``); ``longestCalls`` limits the longest
    /// ones. Other calls need not wait for such calls.
    package static let longCalls = 4
    static let longestCalls = 3
    /// How often one call is sent to a daemon that goes away before it answers.
    static let attempts = 6
    /// How often a daemon is started that dies before it reports its start, as under a test that kills it.
    static let starts = 3
    /// How long to wait for a daemon that is being started, by this process or another.
    static let startMilliseconds: Int64 = 10_000
    /// How long to wait before another start of a daemon that was started and does not answer.
    static let restartMilliseconds: Int64 = 500
    /// How long to wait for another client that starts a daemon: the time for three starts.
    static let lockMilliseconds = 3 * Int(startMilliseconds)
    /// The pause after a connection for notifications was lost and before the next one is made, in milliseconds. It
    /// keeps the client from asking a daemon that ends each connection again and again.
    static let listeningPause: Int32 = 100
    /// The longest pause between two checks for a daemon that went away, where nobody starts one. Each check takes one
    /// system call.
    static let longestListeningPause: Int32 = 2_000
    /// The first pause between two checks whether a starting daemon answers. Each is twice the one before, up to
    /// ``longestRetryMilliseconds``.
    static let retryMilliseconds: Int32 = 5
    static let longestRetryMilliseconds: Int32 = 80
    /// How many files of keychains are lent for one call: as many as securityd takes.
    static let lentFiles = 16
}
