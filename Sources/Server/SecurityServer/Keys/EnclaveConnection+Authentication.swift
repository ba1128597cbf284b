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
        guard case .evaluation(let evaluation) = try callAskingReader(.evaluate(question, in: store)) else {
            throw Self.confused
        }
        return evaluation
    }

    /// Sends a request for which the custodian may ask the reader of biometrics what is enrolled.
    ///
    /// A reader that does not answer may delay the call for seconds. That delays only other calls of this kind, and
    /// programs share the places for these.
    func callAskingReader(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        try evaluations.hold(for: Originator.owner) { () throws(KeychainError) in try call(request) }
    }

    /// Whether a policy is satisfied.
    func evaluate(
        _ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier
    ) throws(KeychainError) -> AccessEvaluation {
        let reply = try callAskingReader(.evaluatePolicy(policy, context, in: store))
        guard case .evaluation(let evaluation) = reply else { throw Self.confused }
        return evaluation
    }

    /// Lets a match in another context of the same principal count in this context.
    func allowReuse(
        _ context: ContextReference, seconds: UInt32, in store: StoreIdentifier
    ) throws(KeychainError) {
        guard case .done = try call(.allowReuse(context, seconds: seconds, in: store)) else { throw Self.confused }
    }

    /// Gives a context a password of the program; nil takes it away.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read the password from. It stays the caller's, and is not read here.
    ///   - isTyped: whether a person has typed the password; it is forgotten where it opens no item.
    func setCredential(
        _ context: ContextReference, from descriptor: Int32?, isTyped: Bool = false, in store: StoreIdentifier
    ) throws(KeychainError) {
        let request = EnclaveRequest.setCredential(
            context, isPresent: descriptor != nil, isTyped: isTyped, in: store)
        let reply: EnclaveReply
        if let descriptor {
            reply = try exchangeAlone(request, descriptors: [descriptor])
        } else {
            reply = try call(request)
        }
        switch reply {
        case .done: break
        case .failure(let error): throw error
        default: throw Self.confused
        }
    }

    /// Has the custodian forget a context.
    ///
    /// A custodian that has ended has forgotten it already.
    func endContext(_ number: UInt64) {
        guard isRunning else { return }
        do throws(KeychainError) { _ = try call(.endContext(number)) } catch {
            log.error("the key custodian does not forget an authentication context", ["reason": error.reason])
        }
    }

    /// Sends a request for which the custodian derives a key from a program's password.
    ///
    /// A few such requests at a time have channels that nothing else waits for. They only open and make keys, so the
    /// request is sent again where the custodian went away.
    func callDeriving(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        try derivations.hold(for: Originator.owner) { () throws(KeychainError) in try callAside(request) }
    }

    /// Sends a slow request on a channel of its own.
    ///
    /// The caller bounds how many there are.
    func callAside(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        for _ in 0..<2 {
            let taken = try takeAside(request)
            do {
                if taken.hasToOpen, let store = request.store { try reopen(store, over: taken) }
                let reply = try exchange(request, on: taken.channel)
                giveBackAside(taken)
                if case .failure(let error) = reply { throw error }
                return reply
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
