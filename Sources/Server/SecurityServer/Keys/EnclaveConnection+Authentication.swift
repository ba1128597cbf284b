import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Synchronization

/// What concerns rows with constraints, and the contexts in which they are satisfied.
extension EnclaveConnection {
    /// A number that no other context of this process has.
    func nextContext() -> UInt64 { lastContext.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Whether constraints are satisfied; nothing is opened by it. A reader of biometrics that does not answer may have it wait for seconds, with others
    /// that ask such questions and with nobody else.
    func evaluate(_ question: AccessQuestion, in store: StoreIdentifier) throws(KeychainError) -> AccessEvaluation {
        evaluations.wait()
        defer { evaluations.signal() }
        guard case .evaluation(let evaluation) = try call(.evaluate(question, in: store)) else { throw Self.confused }
        return evaluation
    }

    /// The same of a policy.
    func evaluate(
        _ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier
    ) throws(KeychainError) -> AccessEvaluation {
        guard case .evaluation(let evaluation) = try call(.evaluatePolicy(policy, context, in: store)) else {
            throw Self.confused
        }
        return evaluation
    }

    /// Has a match in another context of the same principal count in this one.
    func allowReuse(
        _ context: ContextReference, seconds: UInt32, in store: StoreIdentifier
    ) throws(KeychainError) {
        guard case .done = try call(.allowReuse(context, seconds: seconds, in: store)) else { throw Self.confused }
    }

    /// Gives a context a password of the program's; nil takes it away.
    ///
    /// - Parameter descriptor: what the password is read from. It stays the caller's, and is not read here.
    func setCredential(
        _ context: ContextReference, from descriptor: Int32?, in store: StoreIdentifier
    ) throws(KeychainError) {
        let request = EnclaveRequest.setCredential(context, isPresent: descriptor != nil, in: store)
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

    /// Has the custodian forget a context. One that is gone has forgotten it.
    func endContext(_ number: UInt64) {
        guard isRunning else { return }
        do throws(KeychainError) { _ = try call(.endContext(number)) } catch {
            log.error("the key custodian does not forget an authentication context", ["reason": error.reason])
        }
    }

    /// Puts a request for which the custodian derives a key from a program's password: on channels that nothing else waits for, a few of them at a
    /// time. It opens and makes keys only, so it is put once more where the custodian went away.
    func callDeriving(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        derivations.wait()
        defer { derivations.signal() }
        return try callAside(request)
    }

    /// Puts a request that takes longer than a look-up on a channel of its own. Whoever calls it bounds how many there are.
    func callAside(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        for _ in 0..<2 {
            let taken = try takeAside(request)
            do {
                if taken.hasToOpen, let store = request.store { try reopen(store, over: taken) }
                let reply = try exchange(request, on: taken.channel)
                giveBackAside(taken)
                if case .failure(let error) = reply { throw error }
                return reply
            } catch let error as KeychainError {
                throw error
            } catch {
                lose(taken.generation, because: error)
            }
        }
        throw KeychainError(.notAvailable, "the key custodian keeps going away; see the log")
    }
}
