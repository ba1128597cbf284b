/// What a client allows itself.
package enum ClientLimits {
    /// Connections of one process (behaviour/limits.md, 10); further callers wait for one to become free.
    static let connections = 16
    /// Of those, the ones that are kept for authentications: half, so that other calls never wait for them alone.
    static let keptConnections = 8
    /// Of those, the ones for what takes long (``RequestWork/long``), and for what takes longest: other calls are not to wait for that.
    package static let longCalls = 4
    static let longestCalls = 3
    /// How often one call is put to a daemon that goes away before it answers.
    static let attempts = 6
    /// How often a daemon is started that dies before it says how its start went, as under a test that kills it.
    static let starts = 3
    /// How long to wait for a daemon that is being started, by whomever.
    static let startMilliseconds = 10_000
    /// How long to wait for another client that starts a daemon: as long as it may itself take to start it three times.
    static let lockMilliseconds = 3 * startMilliseconds
    /// After a connection for notifications was lost, before another is made, in milliseconds: a daemon that ends each at once is not
    /// to be asked again and again.
    static let listeningPause: Int32 = 100
    /// Between two looks for a daemon that went away, where nobody starts one. Each takes one call of the system.
    static let longestListeningPause: Int32 = 2_000
    /// Between two looks at whether it answers.
    static let retryMilliseconds: Int32 = 5
    /// Files of keychains that are lent for one call: as many as securityd takes.
    static let lentFiles = 16
}
