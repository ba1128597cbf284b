import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Requests about biometrics: their state, and the wait for a match.
extension EnclaveConnection {
    /// Whether there is a reader, what is enrolled, and whether a match would be accepted.
    ///
    /// It takes seconds where the reader does not answer.
    func biometryReport(in store: StoreIdentifier) throws(KeychainError) -> BiometryReport {
        try biometryReports.hold(for: Originator.owner) { () throws(KeychainError) in
            try exchangeAlone(ReadBiometry(store))
        }
    }

    /// Waits for a biometric for one question; the custodian notes what matches.
    func match(
        _ question: AccessQuestion, in store: StoreIdentifier, until stop: MatchCancellation
    ) throws(KeychainError) -> MatchReport { try match(MatchQuestion(question, in: store), until: stop) }

    /// Waits for a biometric that counts for every item of the context's principal.
    func matchPolicy(
        _ policy: AuthenticationPolicy, _ context: ContextReference, in store: StoreIdentifier,
        until stop: MatchCancellation
    ) throws(KeychainError) -> MatchReport { try match(MatchPolicy(policy, context, in: store), until: stop) }

    private func match(
        _ request: some EnclaveMatchRequest, until stop: MatchCancellation
    ) throws(KeychainError) -> MatchReport {
        try enterMatch()
        defer { monitor.withLock { _ in matches -= 1 } }
        let taken = try takeAlone(for: request.neededStore)
        defer { stop.enter(-1) }
        do {
            if taken.hasToOpen { try reopen(request.store, over: taken) }
            guard stop.enter(taken.channel.socket) else { return MatchReport(.withdrawn) }
            return try exchange(request, on: taken.channel).get()
        } catch let unsent as Unsent {
            throw unsent.reason
        } catch let error as KeychainError {
            throw error
        } catch {
            // This process shut down its own end, so the custodian has not failed.
            guard !stop.isStopped else { return MatchReport(.withdrawn) }
            lose(taken.generation, because: error)
            throw KeychainError(.notAvailable, "the key custodian went away while it waited for a biometric")
        }
    }

    private func enterMatch() throws(KeychainError) {
        let isMine = monitor.withLock { _ in
            guard matches < EnclaveWire.maximumMatches else { return false }
            matches += 1
            return true
        }
        guard isMine else {
            throw KeychainError(.notAvailable, "others wait for the reader of biometrics; try again")
        }
    }
}
