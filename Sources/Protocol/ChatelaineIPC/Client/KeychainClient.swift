import ChatelaineMemory
import ChatelaineModel
import Glibc

/// What a program's calls end in: one request to securityd each, and its answer.
///
/// Safe from any number of threads; a call that waits holds up no other as long as the process has a connection free. A
/// daemon that is not there is started; one that goes away in the middle of a call is asked again, with the same request
/// identifier, so that a change happens once (for ``Limits/repetitionSeconds``). After fork(2) the child has connections of its own.
///
/// All methods throw the daemon's ``KeychainError``, and `errSecNotAvailable` where there is no daemon to be had.
package struct KeychainClient: KeychainCalling {
    /// The client of this process, for the deployment that its environment says.
    package static let shared = KeychainClient()

    /// Or why there is none: the environment names a keychain that cannot be.
    private let connector: Result<Connector, KeychainError>
    private let process = SharedConnectionPool()
    private let repetitionSeconds: Int

    package init(environment: ProcessEnvironment = .current) {
        self.init(environment: environment, repetitionSeconds: Limits.repetitionSeconds)
    }

    /// - Parameter repetitionSeconds: how long after it first sent a change it sends it again.
    package init(environment: ProcessEnvironment, repetitionSeconds: Int) {
        self.repetitionSeconds = repetitionSeconds
        connector = Result { () throws(KeychainError) in
            Connector(deployment: try Deployment.current(environment), environment: environment)
        }
    }

    package var deployment: Deployment {
        get throws(KeychainError) { try connector.get().deployment }
    }

    /// Puts one request and gives back what follows the header of its reply.
    package func call<Message: RequestMessage>(_ request: Message) throws(KeychainError) -> Message.Reply {
        try inPlace(for: request) { () throws(KeychainError) in
            try withConnection(isChange: Message.isChange) { connection in try connection.call(request) }
        }
    }

    /// Puts a request with its passcodes, one for each of its parts. It is not put again where the daemon goes away once it has them.
    func present<Message: PasscodeMessage>(
        _ request: Message, _ passcodes: [SecretBytes]
    ) throws(KeychainError) -> Message.Reply {
        try withConnection { connection in try connection.call(request, passcodes) }
    }

    /// A connection that carries notifications from now on, and counts among those of the pool no longer.
    func subscribe(_ request: some RequestMessage) throws(KeychainError) -> ClientConnection {
        try withConnection(isKept: true) { connection in
            _ = try connection.call(request)
            return connection
        }
    }

    /// The same, where a daemon runs already; nil where none does.
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

    /// The same with the connection that `keeper` has for itself (``KeptConnections``).
    ///
    /// - Parameter prepare: what goes first on a connection that it did not have before.
    func withKept<Result>(
        by keeper: ObjectIdentifier, isChange: Bool, prepare: (ClientConnection) throws -> Void,
        _ body: (ClientConnection) throws -> Result
    ) throws(KeychainError) -> Result {
        try repeated { pool, attempt in
            try pool.kept.withConnection(
                of: keeper, from: pool, connect: { try connector.get().connect() },
                isHarmless: { $0 is KeychainError || $0 is NeededFile }, prepare: prepare,
                { connection in
                    try attempt.check(isChange)
                    return try body(connection)
                })
        }
    }

    /// Has one of the places for what takes long, where a request does.
    ///
    /// - Parameter isWanted: asked while it waits, and whenever ``wakeCalls()`` is called; who is not goes on without a place, and finds that out.
    func inPlace<Result>(
        for request: some RequestMessage, while isWanted: () -> Bool = { true },
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        // Nothing is looked up for what most calls are.
        switch request.work {
        case .none, .brief: try body()
        case .long: try process.pool.longCalls.withPlace(while: isWanted, body)
        case .longest: try process.pool.longestCalls.withPlace(while: isWanted, body)
        }
    }

    /// Has those that wait for a place look whether they are wanted.
    func wakeCalls() {
        let pool = process.pool
        pool.longCalls.wake()
        pool.longestCalls.wake()
    }

    /// Ends the connection that `keeper` has at rest.
    func endKept(by keeper: ObjectIdentifier) {
        let pool = process.pool
        pool.kept.end(of: keeper, in: pool)
    }

    /// One of the times that a call is put to the daemon.
    private struct Attempt {
        var number = 1
        /// Seconds since boot after which a change is put no more.
        let end: Int

        /// By then the daemon may have forgotten that it made the change, and would make it once more.
        func check(_ isChange: Bool) throws(KeychainError) {
            guard number == 1 || !isChange || KeychainClient.secondsSinceBoot <= end else {
                throw KeychainClient.tooLate
            }
        }
    }

    /// Does something with a connection of a pool, and does it again where the daemon goes away.
    private func repeated<Result>(
        _ body: (ConnectionPool, Attempt) throws -> Result
    ) throws(KeychainError) -> Result {
        var attempt = Attempt(end: Self.secondsSinceBoot + repetitionSeconds)
        var lent: Set<String> = []
        while true {
            let pool = process.pool
            do {
                return try body(pool, attempt)
            } catch let error as KeychainError {
                throw error
            } catch let needed as NeededFile {
                guard lent.count < ClientLimits.lentFiles, lent.insert(needed.path).inserted else { throw needed.error }
                try lend(needed.path)
            } catch let error as FrameError {
                // The daemon went away. What it was asked is asked again; connections at rest went with it.
                pool.dropIdle()
                guard attempt.number < ClientLimits.attempts else {
                    throw KeychainError(
                        .notAvailable, "securityd went away \(attempt.number) times in one call (\(error))")
                }
                attempt.number += 1
            } catch let error as InterruptedPasscode {
                throw KeychainError(
                    .notAvailable,
                    "securityd went away after it had got the passcode (\(error.error)): look how it stands before you try again"
                )
            } catch {
                throw KeychainError(.notAvailable, "securityd sent a reply that cannot be read (\(error))")
            }
        }
    }

    /// Goes on while the process is stopped and the machine sleeps, and nobody sets it.
    fileprivate static var secondsSinceBoot: Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec
    }

    fileprivate static var tooLate: KeychainError {
        KeychainError(
            .notAvailable,
            "securityd went away before it answered, and too long ago to ask it once more: look whether the change was made before "
                + "you try it again")
    }
}
