import ChatelaineModel
import EnclaveProtocol

/// Matches a finger for a question.
///
/// The key custodian does that, and notes by itself what it matched for.
package protocol FingerMatching: Sendable {
    /// Waits until there is a result, or `stop` ends the wait.
    func match(until stop: MatchCancellation) throws(KeychainError) -> MatchReport
}

/// Matches a finger for one question.
struct QuestionMatching: FingerMatching {
    private let enclave: EnclaveConnection
    private let question: ProofQuestion
    private let store: StoreIdentifier
    private let context: AuthenticationContext

    init(
        _ enclave: EnclaveConnection, _ question: ProofQuestion, in store: StoreIdentifier,
        noting context: AuthenticationContext
    ) {
        (self.enclave, self.question, self.store, self.context) = (enclave, question, store, context)
    }

    func match(until stop: MatchCancellation) throws(KeychainError) -> MatchReport {
        try context.noting { () throws(KeychainError) in try question.match(by: enclave, in: store, until: stop) }
    }
}
