import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// An authentication context of a connection or a request: a number under which the key custodian remembers
/// authentications.
///
/// The custodian hears of the end of a context only where something was noted in it.
final class AuthenticationContext: Sendable {
    private struct State {
        /// How many calls are noting something.
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

    /// Has `body` note something in the context.
    ///
    /// A dialog that is answered after its context has ended leaves nothing behind.
    ///
    /// - Throws: `errSecInteractionNotAllowed` where the context has ended, and what `body` throws.
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

    /// Ends the context, of which nothing is remembered from now on.
    func end() { finish { $0.isEnded = true } }

    /// Changes the state; the last user of an ended context tells the custodian to forget it.
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

/// The authentication context of a connection, from the first thing to remember until the connection's end.
///
/// A connection has one at most, and no request names it: the connection identifies it. It ends with the connection,
/// and so where the process executes another program. When the device is locked, the custodian forgets what it has
/// noted in the context.
final class ConnectionAuthentication {
    private let enclave: EnclaveConnection
    /// The context; nil as long as nothing was to be remembered.
    ///
    /// Until then each request has a context of its own.
    private(set) var context: AuthenticationContext?
    /// The value of ``EnclaveConnection/forgettings`` when the program gave something that only the program can give;
    /// nil where it gave nothing.
    private var given: UInt64?
    private var hasPassword = false
    private(set) var allowsReuse = false
    /// The question that the custodian last called satisfied in this context.
    private var satisfied: SatisfiedQuestion?

    init(_ enclave: EnclaveConnection) { self.enclave = enclave }

    /// Notes that the program is about to give a password, or to take it away.
    func notePassword(isPresent: Bool) {
        hasPassword = isPresent
        noteGiven()
    }

    /// Notes whether the program lets earlier matches count.
    func noteReuse(_ isAllowed: Bool) {
        allowsReuse = isAllowed
        noteGiven()
    }

    /// Keeps the earlier of two values, so that a loss between the two gifts counts as a loss.
    private func noteGiven() { given = hasPassword || allowsReuse ? min(given ?? .max, enclave.forgettings) : nil }

    /// Remembers a question that the custodian called satisfied.
    ///
    /// Only a context that outlives its request needs that.
    func note(_ question: SatisfiedQuestion) { if context != nil { satisfied = question } }

    func wasSatisfied(_ question: SatisfiedQuestion) -> Bool { satisfied == question }

    /// Forgets the satisfied question, so that it is asked again.
    func forgetSatisfied() { satisfied = nil }

    /// Whether the custodian has forgotten what the program gave, such as its password.
    ///
    /// Only the program can give that again, and it does so when its connection has ended.
    var isOutdated: Bool { given.map { $0 != enclave.forgettings } ?? false }

    /// The context, made where there is none yet.
    func begin() -> AuthenticationContext {
        if let context { return context }
        let made = AuthenticationContext(enclave)
        context = made
        return made
    }

    /// Forgets all authentications of this connection.
    func end() {
        context?.end()
        (context, satisfied) = (nil, nil)
    }
}

/// A question that the key custodian called satisfied, and its store.
struct SatisfiedQuestion: Equatable {
    let question: AccessQuestion
    let store: StoreIdentifier
}
