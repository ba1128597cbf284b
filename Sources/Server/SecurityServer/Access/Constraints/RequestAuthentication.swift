import ChatelaineModel
import EnclaveProtocol

/// In which authentication context a request is: that of its connection where there is one, else one of its own, made when it is first needed.
///
/// Nearly no request needs one, and then this costs nothing.
package struct RequestAuthentication {
    private let enclave: EnclaveConnection
    private var connection: ConnectionAuthentication?
    private var own: AuthenticationContext?
    /// Whether the request went on because of an earlier answer of the custodian's.
    private var reliesOnEarlier = false

    init(_ enclave: EnclaveConnection, of connection: ConnectionAuthentication?) {
        self.enclave = enclave
        self.connection = connection
    }

    /// The context, which is there from now on.
    mutating func context() -> AuthenticationContext {
        if let context = connection?.context ?? own { return context }
        let made = AuthenticationContext(enclave)
        own = made
        return made
    }

    /// Has the request go on in a context of its own: what is shown from now on is forgotten at its end, whatever its connection remembers.
    mutating func leaveConnection() { connection = nil }

    /// The context of the connection, which is there from now on and goes on after the request.
    mutating func begin() -> AuthenticationContext { connection?.begin() ?? context() }

    /// The program is about to give its connection a password, or to take it away.
    func notePassword(isPresent: Bool) { connection?.notePassword(isPresent: isPresent) }

    /// Whether the connection's context lets earlier matches count.
    var allowsReuse: Bool { connection?.allowsReuse ?? false }

    func noteReuse(_ isAllowed: Bool) { connection?.noteReuse(isAllowed) }

    /// The context, as that of whoever asks.
    mutating func reference(by caller: Caller, in keychain: OpenedKeychain) -> ContextReference {
        ContextReference(number: context().number, principal: keychain.requests.program(of: caller.principal))
    }

    /// For whom the key of a row is asked for, and for what.
    mutating func use(
        _ operation: AccessConstraints.Operation, by caller: Caller, in keychain: OpenedKeychain
    ) -> KeyUse { KeyUse(reference(by: caller, in: keychain), for: operation) }

    /// Whether the custodian need not be asked, since it called the same satisfied on this connection before.
    ///
    /// Right only where the custodian decides once more by itself, as it does when it is asked for a key.
    mutating func wasSatisfied(_ question: SatisfiedQuestion) -> Bool {
        guard let connection, connection.wasSatisfied(question) else { return false }
        reliesOnEarlier = true
        return true
    }

    func note(_ question: SatisfiedQuestion) { connection?.note(question) }

    /// Forgets what was satisfied before.
    ///
    /// - Returns: whether the request relied on that, so that a failure of it may be one of the memory.
    mutating func forgetSatisfied() -> Bool {
        guard reliesOnEarlier else { return false }
        connection?.forgetSatisfied()
        reliesOnEarlier = false
        return true
    }

    /// The request is through: what was shown for it alone is forgotten.
    mutating func end() {
        own?.end()
        own = nil
    }
}
