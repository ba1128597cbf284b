import ChatelaineModel
import ItemStore

/// Decides what a caller may do with a row: by access groups and constraints of items, and in file keychains by access objects (``ACLDecider``).
///
/// It is asked of each opened row for each operation, before the store does anything with it (``RowAuthoriser``), and again
/// each time the row is found anew. It answers at once; who has to be asked is asked afterwards, by others (``Inquiries``).
package protocol AccessDecider: Sendable {
    /// - Parameter authentication: in which context the request is, where a person has shown something.
    /// - Throws: what the caller is told where it has no right to that row, which ends the request.
    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision
}

/// What comes of a decision.
package enum AccessDecision: Sendable {
    case allowed
    /// A person has to allow it, by that proof, who is told this much about the item.
    case needsPerson(String, by: PersonProof = .consent)
    /// The same about an item of a file keychain, of which more is told than what it is called.
    case asks(KeychainItemUse, by: KeychainAccessProof)
    /// Nobody can have it done now, whoever is asked; a search that leaves out what would need somebody leaves it out.
    case refused(KeychainError)
}
