import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// What an `LAContext` stands for: a connection on which the daemon remembers what a person has shown and what password the program has given.
///
/// It is made with the first call, and made anew where it was lost, by a daemon that went away or for others of the process that needed its
/// place: the password is then given again, and a person is asked again. One call at a time goes over it; others of the same session wait. It belongs to the process that
/// made it: a forked child cannot use it.
package final class AuthenticationSession: KeychainCalling {
    // `@unchecked Sendable`: `values` is touched under the monitor.
    private final class State: @unchecked Sendable {
        let monitor = Monitor()
        var values = Values()

        struct Values {
            /// A call is under way.
            var isBusy = false
            /// The daemon may remember something, or is to.
            var isInUse = false
            /// The connection of the call that is under way, while it can be ended.
            var socket: Int32 = -1
            var isInvalidated = false
            var password: SecretBytes?
            /// Whether the daemon has another password than that, or none.
            var isPasswordNew = false
            /// Seconds for which a match in another context counts.
            var reuse: UInt32 = 0
            var isReuseNew = false
        }

        func change<Result>(_ body: (inout Values) throws -> Result) rethrows -> Result {
            try monitor.locked { try body(&values) }
        }
    }

    private let client: KeychainClient
    private let owner = chatelaine_process()
    private let state = State()

    package init(_ client: KeychainClient = .shared) { self.client = client }

    deinit {
        if isOwned { client.endKept(by: ObjectIdentifier(self)) }
    }

    /// Puts one request, which is carried out with what is remembered here.
    ///
    /// - Throws: besides, `errSecAuthFailed` where the session was invalidated, before the call or during it.
    package func call<Message: RequestMessage>(_ request: Message) throws(KeychainError) -> Message.Reply {
        try checkOwner()
        try begin()
        defer { finish() }
        return try client.inPlace(for: request, while: { !isInvalidated }) { () throws(KeychainError) in
            guard !isInvalidated else { throw Self.invalidated }
            return try client.withKept(by: ObjectIdentifier(self), isChange: Message.isChange) { [self] connection in
                try prepare(connection)
            } _: { [self] connection in
                try enter(connection)
                defer { state.change { $0.socket = -1 } }
                if let reuse = reuseToSay() { try say(reuse, over: connection) }
                if let password = passwordToGive() { try give(password, over: connection) }
                return try connection.call(request)
            }
        }
    }

    // MARK: The program's password

    /// Gives a password for items that are encrypted under one, or takes it away. The daemon gets it with the next call.
    ///
    /// - Returns: false for one of no accepted length, which changes nothing, and where the session is of no use any more.
    package func setPassword(_ password: SecretBytes?) -> Bool {
        guard isOwned else { return false }
        if let password, !(1...Limits.passcodeBytes).contains(password.count) { return false }
        return state.change { values in
            guard !values.isInvalidated else { return false }
            // None was given, and none is taken away.
            values.isPasswordNew = values.isPasswordNew || password != nil || values.password != nil
            values.password = password
            return true
        }
    }

    package var hasPassword: Bool { isOwned && state.change { $0.password != nil } }

    /// nil where the daemon has what there is.
    private func passwordToGive() -> SecretBytes?? {
        state.change { values in
            guard values.isPasswordNew else { return nil }
            values.isPasswordNew = false
            return .some(values.password)
        }
    }

    private func give(_ password: SecretBytes?, over connection: ClientConnection) throws {
        do {
            _ = try connection.call(SetApplicationPassword(isPresent: password != nil), password.map { [$0] } ?? [])
        } catch {
            state.change { $0.isPasswordNew = true }
            // No try is counted: it is given again to a daemon that is started anew.
            throw (error as? InterruptedPasscode)?.error ?? error
        }
    }

    // MARK: Earlier matches

    /// Has a biometric that matched in another context of the same program count in this one, for so many seconds; 0 for none.
    package func allowReuse(seconds: UInt32) {
        guard isOwned else { return }
        state.change { values in
            guard values.reuse != seconds else { return }
            values.reuse = seconds
            values.isReuseNew = true
        }
    }

    /// nil where the daemon knows.
    private func reuseToSay() -> UInt32? {
        state.change { values in
            guard values.isReuseNew else { return nil }
            values.isReuseNew = false
            return values.reuse
        }
    }

    private func say(_ reuse: UInt32, over connection: ClientConnection) throws {
        do { _ = try connection.call(BeginAuthentication(reuse: reuse)) } catch {
            state.change { $0.isReuseNew = true }
            throw error
        }
    }

    /// Whether there is anything that a call without it would miss.
    package var isInUse: Bool {
        !isOwned || state.change { $0.isInUse || $0.password != nil || $0.reuse > 0 || $0.isInvalidated }
    }

    // MARK: Its end

    /// Ends a call that is under way, and has every later one fail. What was remembered is forgotten.
    package func invalidate() {
        guard isOwned else { return }
        state.change { values in
            values.isInvalidated = true
            values.password = nil
            // Its number is this connection's as long as it is here.
            if values.socket >= 0 { shutdown(values.socket, Int32(SHUT_RDWR)) }
        }
        client.endKept(by: ObjectIdentifier(self))
        client.wakeCalls()
    }

    package var isInvalidated: Bool { !isOwned || state.change { $0.isInvalidated } }

    private var isOwned: Bool { owner == chatelaine_process() }

    private func checkOwner() throws(KeychainError) {
        guard isOwned else {
            throw KeychainError(.authFailed, "an authentication context belongs to the process that made it")
        }
    }

    // MARK: A call

    /// Waits until no other call of the session is under way.
    private func begin() throws(KeychainError) {
        let isInvalidated = state.monitor.locked {
            while state.values.isBusy { state.monitor.wait() }
            guard !state.values.isInvalidated else { return true }
            state.values.isBusy = true
            state.values.isInUse = true
            return false
        }
        if isInvalidated { throw Self.invalidated }
    }

    private func finish() {
        let isInvalidated = state.change { values in
            values.isBusy = false
            return values.isInvalidated
        }
        // All of them: one that finds it invalidated wakes nobody.
        state.monitor.broadcast()
        // It was at work when the session ended.
        if isInvalidated { client.endKept(by: ObjectIdentifier(self)) }
    }

    /// The first thing on a connection.
    private func prepare(_ connection: ClientConnection) throws {
        try enter(connection)
        defer { state.change { $0.socket = -1 } }
        let reuse = state.change { values in
            values.isPasswordNew = values.password != nil
            values.isReuseNew = false
            return values.reuse
        }
        _ = try connection.call(BeginAuthentication(reuse: reuse))
    }

    /// From here on the call can be ended from outside.
    private func enter(_ connection: ClientConnection) throws {
        let isInvalidated = state.change { values in
            values.socket = connection.descriptor
            return values.isInvalidated
        }
        if isInvalidated {
            state.change { $0.socket = -1 }
            throw Self.invalidated
        }
    }

    private static var invalidated: KeychainError {
        KeychainError(.authFailed, "the authentication context was invalidated")
    }
}
