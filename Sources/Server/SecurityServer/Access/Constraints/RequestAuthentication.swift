import ChatelaineModel
import EnclaveProtocol

/// The authentication context of a request: that of its connection where there is one, or else its own, made when first
/// needed.
///
/// Nearly no request needs a context, and then this costs nothing.
package struct RequestAuthentication {
    private let enclave: EnclaveConnection
    private var connection: ConnectionAuthentication?
    private var own: AuthenticationContext?
    /// Whether the request went on because of an earlier answer of the custodian.
    private var reliesOnEarlier = false

    init(_ enclave: EnclaveConnection, of connection: ConnectionAuthentication?) {
        self.enclave = enclave
        self.connection = connection
    }

    /// The context, made where there is none yet.
    mutating func context() -> AuthenticationContext {
        if let context = connection?.context ?? own { return context }
        let made = AuthenticationContext(enclave)
        own = made
        return made
    }

    /// Has the request go on in a context of its own.
    ///
    /// What is authenticated from now on is forgotten with the request.
    mutating func leaveConnection() { connection = nil }

    /// The context of the connection, made where there is none yet.
    ///
    /// It outlives the request.
    mutating func begin() -> AuthenticationContext { connection?.begin() ?? context() }

    /// Notes that the program is about to give its connection a password, or to take it away.
    func notePassword(isPresent: Bool) { connection?.notePassword(isPresent: isPresent) }

    /// Whether the connection's context lets earlier matches count.
    var allowsReuse: Bool { connection?.allowsReuse ?? false }

    func noteReuse(_ isAllowed: Bool) { connection?.noteReuse(isAllowed) }

    /// The caller's reference to the context.
    mutating func reference(by caller: Caller, in keychain: OpenedKeychain) -> ContextReference {
        ContextReference(number: context().number, principal: keychain.requests.program(of: caller.principal))
    }

    /// For whom, and for which operation, the key of a row is asked for.
    mutating func use(
        _ operation: AccessConstraints.Operation, by caller: Caller, in keychain: OpenedKeychain
    ) -> KeyUse { KeyUse(reference(by: caller, in: keychain), for: operation) }

    /// Whether the custodian need not be asked, since it called the same question satisfied on this connection before.
    ///
    /// This is right only where the custodian decides once more by itself, as it does when it is asked for a key.
    mutating func wasSatisfied(_ question: SatisfiedQuestion) -> Bool {
        guard let connection, connection.wasSatisfied(question) else { return false }
        reliesOnEarlier = true
        return true
    }

    func note(_ question: SatisfiedQuestion) { connection?.note(question) }

    /// Forgets the question that was satisfied before.
    ///
    /// - Returns: whether the request relied on that answer, so that its failure may come from an outdated answer.
    mutating func forgetSatisfied() -> Bool {
        guard reliesOnEarlier else { return false }
        connection?.forgetSatisfied()
        reliesOnEarlier = false
        return true
    }

    /// Ends the request's own context, and with it what was authenticated for this request only.
    mutating func end() {
        own?.end()
        own = nil
    }
}
