import AgentProtocol
import ChatelaineModel

/// A change of the trust settings.
extension TrustChange: PersonSubject {
    var text: String? { label }
    var purpose: DialogPurpose { widensTrust ? .trust : .changeTrust }
    var unanswered: KeychainError {
        .needsPerson(
            "a person has to allow this change of trust, and nobody can be asked: make it at a terminal, or as root for all users with `security add-trusted-cert -d`"
        )
    }
}
