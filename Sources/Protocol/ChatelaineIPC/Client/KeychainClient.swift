import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Sends a program's calls to securityd, one request each, and returns the replies.
///
/// Any number of threads may use it. A call that waits holds up no other as long as the process has a connection free.
///
/// The client starts a daemon where none runs. Where the daemon goes away during a call, the client sends the call
/// again with the same request identifier, so that a change happens once (for ``Limits/repetitionSeconds``). After
/// fork(2) the child has connections of its own.
///
/// All methods throw the daemon's ``KeychainError``, and `errSecNotAvailable` where no daemon can be reached.
package struct KeychainClient: KeychainCalling {
    /// The client of this process, for the deployment that its environment names.
    package static let shared = KeychainClient()

    /// The connector, or the error where the environment names an impossible keychain.
    private let connector: Result<Connector, KeychainError>
    private let pools = PerProcess(forget: { $0.closeInherited() }, { ConnectionPool() })
    private let repetitionSeconds: Int

    package init(environment: ProcessEnvironment = .current) {
        self.init(environment: environment, repetitionSeconds: Limits.repetitionSeconds)
    }

    /// - Parameter repetitionSeconds: for how long after a change was first sent it may be sent again.
    package init(environment: ProcessEnvironment, repetitionSeconds: Int) {
        self.repetitionSeconds = repetitionSeconds
        connector = Result { () throws(KeychainError) in
            Connector(deployment: try Deployment.current(environment), environment: environment)
        }
    }

    package var deployment: Deployment {
        get throws(KeychainError) { try connector.get().deployment }
    }

    /// Sends one request and returns the values after the header of its reply.
    package func call<Message: RequestMessage>(_ request: Message) throws(KeychainError) -> Message.Reply {
        try inPlace(for: request) { () throws(KeychainError) in
            try withConnection(isChange: Message.isChange) { connection in try connection.call(request) }
        }
    }

    /// Sends a request with its passcodes, one for each of its parts.
    ///
    /// The request is not sent again where the daemon goes away after it got the passcodes.
    func present<Message: PasscodeMessage>(
        _ request: Message, _ passcodes: [SecretBytes]
    ) throws(KeychainError) -> Message.Reply {
        try withConnection { connection in try connection.call(request, passcodes) }
    }

    /// A connection that carries notifications from now on, and no longer counts in the pool.
    func subscribe(_ request: some RequestMessage) throws(KeychainError) -> ClientConnection {
        try withConnection(isKept: true) { connection in
            _ = try connection.call(request)
            return connection
        }
    }

    /// As ``subscribe(_:)`` where a daemon already runs; nil where none does.
    func subscribeIfRunning(_ request: some RequestMessage) throws(KeychainError) -> ClientConnection? {
        try connector.get().isListening() ? try subscribe(request) : nil
    }

    func withConnection<Result>(
        isChange: Bool = false, isKept: Bool = false, _ body: (ClientConnection) throws -> Result
    ) throws(KeychainError) -> Result {
        try repeated { pool, attempt in
            try pool.withConnection(
                connect: { try connector.get().connect() }, isKept: isKept,
                isHarmless: { $0 is KeychainError || $0 is NeededFile },
                { connection in
                    try attempt.check(isChange)
                    return try body(connection)
                })
        }
    }

    /// Runs `body` with the connection that `keeper` has for itself (``KeptConnections``).
    ///
    /// - Parameters:
    ///   - check: throws where the call is not wanted any more; asked while it waits for a connection, and after each
    ///     ``wakeCalls()``.
    ///   - prepare: runs first on a connection that is new for `keeper`.
    func withKept<Result>(
        by keeper: ObjectIdentifier, isChange: Bool, while check: () throws -> Void,
        prepare: (ClientConnection) throws -> Void,
        _ body: (ClientConnection) throws -> Result
    ) throws(KeychainError) -> Result {
        try repeated { pool, attempt in
            try pool.kept.withConnection(
                of: keeper, from: pool, connect: { try connector.get().connect() },
                isHarmless: { $0 is KeychainError || $0 is NeededFile }, while: check, prepare: prepare,
                { connection in
                    try attempt.check(isChange)
                    return try body(connection)
                })
        }
    }

    /// Runs `body` in one of the few places for long calls, where the request needs one.
    ///
    /// - Parameter isWanted: asked while the call waits for a place, and after each ``wakeCalls()``. A call that is not
    ///   wanted runs `body` without a place, and `body` then throws.
    func inPlace<Result>(
        for request: some RequestMessage, while isWanted: () -> Bool = { true },
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        // Most requests need no place: for them the pool is not looked up.
        switch request.work {
        case .none, .brief: try body()
        case .long: try pools.value.longCalls.withPlace(while: isWanted, body)
        case .longest: try pools.value.longestCalls.withPlace(while: isWanted, body)
        }
    }

    /// Makes the calls that wait for a place or a connection ask again whether they are wanted.
    func wakeCalls() {
        let pool = pools.value
        pool.wake()
        pool.longCalls.wake()
        pool.longestCalls.wake()
    }

    /// Ends the connection that `keeper` has at rest.
    func endKept(by keeper: ObjectIdentifier) {
        let pool = pools.value
        pool.kept.end(of: keeper, in: pool)
    }

    /// One attempt to send a call to the daemon.
    private struct Attempt {
        var number = 1
        /// The last second since boot at which a change may be sent again.
        let end: Int

        /// Throws once the daemon may have forgotten that it made the change, since it would make the change twice.
        func check(_ isChange: Bool) throws(KeychainError) {
            guard number == 1 || !isChange || KeychainClient.secondsSinceBoot <= end else {
                throw KeychainClient.tooLate
            }
        }
    }

    /// Runs `body` with the pool, and again where the daemon goes away.
    private func repeated<Result>(
        _ body: (ConnectionPool, Attempt) throws -> Result
    ) throws(KeychainError) -> Result {
        var attempt = Attempt(end: Self.secondsSinceBoot + repetitionSeconds)
        var lent: Set<String> = []
        while true {
            let pool = pools.value
            do {
                return try body(pool, attempt)
            } catch let error as KeychainError {
                throw error
            } catch let needed as NeededFile {
                guard lent.count < ClientLimits.lentFiles, lent.insert(needed.path).inserted else { throw needed.error }
                try lend(needed.path)
            } catch let error as FrameError {
                // The daemon went away, which ended the connections at rest as well. The call is sent again.
                pool.dropIdle()
                guard attempt.number < ClientLimits.attempts else {
                    throw KeychainError(
                        .notAvailable, "securityd went away \(attempt.number) times in one call (\(error))")
                }
                attempt.number += 1
            } catch let error as InterruptedPasscode {
                throw KeychainError(
                    .notAvailable,
                    "securityd ended after it had got the passcode (\(error.error)), which may have been checked: see “security passcode status” before you try again"
                )
            } catch let error as InterruptedQuestion {
                throw KeychainError(
                    .notAvailable,
                    "securityd ended while a person may have been asked (\(error.error)); make the call again to ask again"
                )
            } catch {
                throw KeychainError(.notAvailable, "securityd sent a reply that cannot be read (\(error))")
            }
        }
    }

    /// CLOCK_BOOTTIME runs on while the process is stopped and the machine sleeps, and nobody can set it.
    fileprivate static var secondsSinceBoot: Int { Int(MonotonicClock.bootMilliseconds / 1000) }

    fileprivate static var tooLate: KeychainError {
        KeychainError(
            .notAvailable,
            "securityd went away before it answered, and too long ago to ask it once more: look whether the change was made before "
                + "you try it again")
    }
}
