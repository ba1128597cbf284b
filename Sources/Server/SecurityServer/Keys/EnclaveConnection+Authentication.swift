import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization

/// Requests about rows with constraints, and about the contexts in which these are satisfied.
extension EnclaveConnection {
    /// A number that no other context of this process has.
    func nextContext() -> UInt64 { lastContext.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Whether constraints are satisfied; this opens nothing.
    func evaluate(_ question: AccessQuestion, in store: StoreIdentifier) throws(KeychainError) -> AccessEvaluation {
        try callAskingReader(EvaluateQuestion(question, in: store))
    }

    /// Sends a request for which the custodian may ask the reader of biometrics what is enrolled.
    ///
    /// A reader that does not answer may delay the call for seconds. That delays only other calls of this kind, and
    /// programs share the places for these.
    func callAskingReader<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        try evaluations.hold(for: Originator.owner) { () throws(KeychainError) in try call(request) }
    }

    /// Whether a policy is satisfied.
    func evaluate(
        _ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier
    ) throws(KeychainError) -> AccessEvaluation {
        try callAskingReader(EvaluateContextPolicy(policy, context, in: store))
    }

    /// Lets a match in another context of the same principal count in this context.
    func allowReuse(
        _ context: ContextReference, seconds: UInt32, in store: StoreIdentifier
    ) throws(KeychainError) {
        _ = try call(AllowReuse(context, seconds: seconds, in: store))
    }

    /// Gives a context a password of the program; nil takes it away.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read the password from. It stays the caller's, and is not read here.
    ///   - isTyped: whether a person has typed the password; it is forgotten where it opens no item.
    func setCredential(
        _ context: ContextReference, from descriptor: Int32?, isTyped: Bool = false, in store: StoreIdentifier
    ) throws(KeychainError) {
        let request = SetCredential(context, isPresent: descriptor != nil, isTyped: isTyped, in: store)
        if let descriptor {
            _ = try exchangeAlone(request, descriptors: [descriptor])
        } else {
            _ = try call(request)
        }
    }

    /// Has the custodian forget a context.
    ///
    /// A custodian that has ended has forgotten it already.
    func endContext(_ number: UInt64) {
        guard isRunning else { return }
        do throws(KeychainError) { _ = try call(EndContext(number)) } catch {
            log.error("the key custodian does not forget an authentication context", ["reason": error.reason])
        }
    }

    /// Sends a request for which the custodian derives a key from a program's password.
    ///
    /// A few such requests at a time have channels that nothing else waits for. They only open and make keys, so the
    /// request is sent again where the custodian went away.
    func callDeriving<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        try derivations.hold(for: Originator.owner) { () throws(KeychainError) in try callAside(request) }
    }

    /// Sends a slow request on a channel of its own.
    ///
    /// The caller bounds how many there are.
    func callAside<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        for _ in 0..<2 {
            let taken = try takeAside(for: request.neededStore)
            do {
                if taken.hasToOpen, let store = request.neededStore { try reopen(store, over: taken) }
                let result = try exchange(request, on: taken.channel)
                giveBackAside(taken)
                return try result.get()
            } catch let unsent as Unsent {
                giveBackAside(taken)
                throw unsent.reason
            } catch let error as KeychainError {
                throw error
            } catch {
                lose(taken.generation, because: error)
            }
        }
        throw KeychainError(.notAvailable, "the key custodian keeps going away; see the log")
    }
}
