import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// An authentication context of a connection or a request: the number under which the key custodian remembers something of it.
///
/// The custodian hears of its end where it remembers something, and of no context that nothing was noted in.
final class AuthenticationContext: Sendable {
    private struct State {
        /// Those that are having something noted.
        var users = 0
        var isUsed = false
        var isEnded = false
    }

    let number: UInt64
    private let enclave: EnclaveConnection
    private let state = AdaptiveMutex(State())

    init(_ enclave: EnclaveConnection) {
        self.enclave = enclave
        number = enclave.nextContext()
    }

    /// Has something noted in it. A dialog that is answered when nobody waits any more leaves nothing behind.
    ///
    /// - Throws: `errSecInteractionNotAllowed` where it has ended, and what `body` does.
    func noting<Answer>(_ body: () throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        let isOpen = state.withLock { state in
            guard !state.isEnded else { return false }
            state.users += 1
            state.isUsed = true
            return true
        }
        guard isOpen else {
            throw KeychainError(.interactionNotAllowed, "the call that a person was asked for has ended")
        }
        defer { finish { $0.users -= 1 } }
        return try body()
    }

    /// Nothing is remembered of it from now on.
    func end() { finish { $0.isEnded = true } }

    /// The last one who has to do with it has the custodian forget.
    private func finish(_ change: (inout State) -> Void) {
        let isLast = state.withLock { state in
            change(&state)
            guard state.isEnded, state.users == 0, state.isUsed else { return false }
            state.isUsed = false
            return true
        }
        if isLast { enclave.endContext(number) }
    }
}

/// The authentication context of a connection, from the first thing that is to be remembered on it until its end.
///
/// There is one at the most, which no request names: its connection is what it is known by. It ends with that, and so where the process
/// executes something. Where the device is locked, the custodian forgets what it has of it.
final class ConnectionAuthentication {
    private let enclave: EnclaveConnection
    /// nil as long as nothing was to be remembered: each request then has one of its own.
    private(set) var context: AuthenticationContext?
    /// What ``EnclaveConnection/forgettings`` was when the program gave something that only the program can give; nil where it has nothing here.
    private var given: UInt64?
    private var hasPassword = false
    private(set) var allowsReuse = false
    /// The question that the custodian last called satisfied in this context.
    private var satisfied: SatisfiedQuestion?

    init(_ enclave: EnclaveConnection) { self.enclave = enclave }

    /// The program is about to give a password, or to take it away.
    func notePassword(isPresent: Bool) {
        hasPassword = isPresent
        noteGiven()
    }

    /// The program has said whether earlier matches count.
    func noteReuse(_ isAllowed: Bool) {
        allowsReuse = isAllowed
        noteGiven()
    }

    /// What was forgotten of the one before the other came is forgotten.
    private func noteGiven() { given = hasPassword || allowsReuse ? min(given ?? .max, enclave.forgettings) : nil }

    /// Remembers what the custodian called satisfied. Only a context that outlives its request has use for it.
    func note(_ question: SatisfiedQuestion) { if context != nil { satisfied = question } }

    func wasSatisfied(_ question: SatisfiedQuestion) -> Bool { satisfied == question }

    /// What was satisfied is to be asked again.
    func forgetSatisfied() { satisfied = nil }

    /// Whether the custodian has forgotten what the program takes for given, as its password: only the program can give that again, and does
    /// when its connection has ended.
    var isOutdated: Bool { given.map { $0 != enclave.forgettings } ?? false }

    /// The context, which is there from now on.
    func begin() -> AuthenticationContext {
        if let context { return context }
        let made = AuthenticationContext(enclave)
        context = made
        return made
    }

    /// Forgets all that was shown on this connection.
    func end() {
        context?.end()
        (context, satisfied) = (nil, nil)
    }
}

/// What the key custodian was asked in one store, and called satisfied.
struct SatisfiedQuestion: Equatable {
    let question: AccessQuestion
    let store: StoreIdentifier
}
