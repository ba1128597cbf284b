import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The connection behind an `LAContext`, on which the daemon remembers what a person has shown and which password the
/// program has given.
///
/// The first call makes the connection. It is lost when the daemon goes away, or when other contexts of the process
/// need its place. The next call then makes a new one, gives the password again, and has the person asked again.
///
/// One call at a time uses the connection; further calls of the session wait. A session belongs to the process that
/// made it: a forked child cannot use it.
package final class AuthenticationSession: KeychainCalling {
    private struct State {
        /// Whether a call is under way.
        var isBusy = false
        /// Whether the daemon may remember something for this session, since a call was begun.
        var isInUse = false
        /// The connection of the call that is under way, while it can be ended.
        var socket: Int32 = -1
        var isInvalidated = false
        var password: SecretBytes?
        /// Whether the daemon has yet to be given `password`, or told that there is none.
        var isPasswordNew = false
        /// For how many seconds a match in another context counts.
        var reuse: UInt32 = 0
        var isReuseNew = false
    }

    private let client: KeychainClient
    private let owner = chatelaine_process()
    private let state = Monitor(State())

    package init(_ client: KeychainClient = .shared) { self.client = client }

    deinit {
        if isOwned { client.endKept(by: ObjectIdentifier(self)) }
    }

    /// Sends one request, for which the daemon uses what it remembers on this session's connection.
    ///
    /// - Throws: besides the request's errors, `errSecAuthFailed` where the session was invalidated, before the call or
    ///   during it.
    package func call<Message: RequestMessage>(_ request: Message) throws(KeychainError) -> Message.Reply {
        try checkOwner()
        try begin()
        defer { finish() }
        return try client.inPlace(for: request, while: { !isInvalidated }) { () throws(KeychainError) in
            guard !isInvalidated else { throw Self.invalidated }
            return try client.withKept(by: ObjectIdentifier(self), isChange: Message.isChange) { [self] in
                if isInvalidated { throw Self.invalidated }
            } prepare: { [self] connection in
                try prepare(connection)
            } _: { [self] connection in
                try enter(connection)
                defer { state.withLock { $0.socket = -1 } }
                if let reuse = reuseToSay() { try say(reuse, over: connection) }
                if let password = passwordToGive() { try give(password, over: connection) }
                do { return try connection.call(request) } catch let error as InterruptedQuestion {
                    // The session ended its connection itself.
                    throw isInvalidated ? Self.invalidated : error
                }
            }
        }
    }

    // MARK: The program's password

    /// Sets the password for items that are encrypted under one, or takes it away. The daemon gets it with the next
    /// call.
    ///
    /// - Returns: false, with nothing changed, for a password whose length is not accepted or a session that was
    ///   invalidated.
    package func setPassword(_ password: SecretBytes?) -> Bool {
        guard isOwned else { return false }
        if let password, !(1...Limits.passcodeBytes).contains(password.count) { return false }
        return state.withLock { state in
            guard !state.isInvalidated else { return false }
            // A daemon that was never called has no password, and one that was may have one that a person typed.
            state.isPasswordNew = state.isPasswordNew || password != nil || state.isInUse
            state.password = password
            return true
        }
    }

    package var hasPassword: Bool { isOwned && state.withLock { $0.password != nil } }

    /// The password that the daemon has yet to be given; nil where it has the current one.
    private func passwordToGive() -> SecretBytes?? {
        state.withLock { state in
            guard state.isPasswordNew else { return nil }
            state.isPasswordNew = false
            return .some(state.password)
        }
    }

    private func give(_ password: SecretBytes?, over connection: ClientConnection) throws {
        do {
            _ = try connection.call(SetApplicationPassword(isPresent: password != nil), password.map { [$0] } ?? [])
        } catch {
            state.withLock { $0.isPasswordNew = true }
            // Sending an application password again counts no failed attempt, so the call is repeated with a new
            // daemon.
            throw (error as? InterruptedPasscode)?.error ?? error
        }
    }

    // MARK: Earlier matches

    /// Sets for how many seconds a biometric match in another context of the same program counts in this one; 0 for
    /// none.
    package func allowReuse(seconds: UInt32) {
        guard isOwned else { return }
        state.withLock { state in
            guard state.reuse != seconds else { return }
            state.reuse = seconds
            state.isReuseNew = true
        }
    }

    /// The reuse time that the daemon has yet to be told; nil where it knows the current one.
    private func reuseToSay() -> UInt32? {
        state.withLock { state in
            guard state.isReuseNew else { return nil }
            state.isReuseNew = false
            return state.reuse
        }
    }

    private func say(_ reuse: UInt32, over connection: ClientConnection) throws {
        do { _ = try connection.call(BeginAuthentication(reuse: reuse)) } catch {
            state.withLock { $0.isReuseNew = true }
            throw error
        }
    }

    /// Whether a call outside of this session could come out differently.
    package var isInUse: Bool {
        !isOwned || state.withLock { $0.isInUse || $0.password != nil || $0.reuse > 0 || $0.isInvalidated }
    }

    // MARK: Its end

    /// Ends a call that is under way and makes every later call fail. The daemon forgets what it remembered for the
    /// session.
    package func invalidate() {
        guard isOwned else { return }
        state.withLock { state in
            state.isInvalidated = true
            state.password = nil
            // The number is still this connection's: the call resets it before the connection is closed.
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
        }
        client.endKept(by: ObjectIdentifier(self))
        client.wakeCalls()
    }

    /// - Throws: `errSecAuthFailed` where every call of the session fails.
    package func requireValid() throws(KeychainError) {
        try checkOwner()
        if isInvalidated { throw Self.invalidated }
    }

    package var isInvalidated: Bool { !isOwned || state.withLock { $0.isInvalidated } }

    private var isOwned: Bool { owner == chatelaine_process() }

    private func checkOwner() throws(KeychainError) {
        guard isOwned else {
            throw KeychainError(.authFailed, "an authentication context belongs to the process that made it")
        }
    }

    // MARK: A call

    /// Waits until no other call of the session is under way.
    private func begin() throws(KeychainError) {
        let isInvalidated = state.wait { state -> Awaited<Bool> in
            guard !state.isBusy else { return .nothing() }
            guard !state.isInvalidated else { return .answer(true) }
            state.isBusy = true
            state.isInUse = true
            return .answer(false)
        }
        if isInvalidated { throw Self.invalidated }
    }

    private func finish() {
        let isInvalidated = state.withLock { state in
            state.isBusy = false
            return state.isInvalidated
        }
        // Wakes all waiting calls: a call that finds the session invalidated does not wake the next.
        state.broadcast()
        // `invalidate()` could not end this connection, which was in use by the call.
        if isInvalidated { client.endKept(by: ObjectIdentifier(self)) }
    }

    /// Sends the first request on a new connection.
    private func prepare(_ connection: ClientConnection) throws {
        try enter(connection)
        defer { state.withLock { $0.socket = -1 } }
        let reuse = state.withLock { state in
            state.isPasswordNew = state.password != nil
            state.isReuseNew = false
            return state.reuse
        }
        _ = try connection.call(BeginAuthentication(reuse: reuse))
    }

    /// Records the connection, so that ``invalidate()`` can end the call from now on.
    private func enter(_ connection: ClientConnection) throws {
        let isInvalidated = state.withLock { state in
            state.socket = connection.descriptor
            return state.isInvalidated
        }
        if isInvalidated {
            state.withLock { $0.socket = -1 }
            throw Self.invalidated
        }
    }

    private static var invalidated: KeychainError {
        KeychainError(.authFailed, "the authentication context was invalidated")
    }
}
