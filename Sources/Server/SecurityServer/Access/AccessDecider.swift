import ChatelaineModel
import ItemStore

/// Decides what a caller may do with a row.
///
/// There are deciders for access groups, for constraints of items, and in file keychains for access objects
/// (``ACLDecider``). A decider is asked about each opened row and each operation, before the store does anything with
/// the row (``RowAuthoriser``). It is asked again each time the row is found anew. It answers at once. Where a person
/// has to be asked, ``Inquiries`` asks afterwards.
package protocol AccessDecider: Sendable {
    /// Decides about one operation on one row.
    ///
    /// - Parameter authentication: the context of the request, in which a person may have authenticated.
    /// - Throws: the error for a caller without any right to that row, which ends the request.
    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision
}

/// The outcome of a decision.
package enum AccessDecision: Sendable {
    case allowed
    /// A person has to allow it by that proof.
    ///
    /// The text describes the item to the person.
    case needsPerson(String, by: PersonProof = .consent)
    /// A person has to allow a use of an item of a file keychain, about which the dialog tells more than its label.
    case asks(KeychainItemUse, by: KeychainAccessProof)
    /// The operation is impossible now, whoever is asked.
    ///
    /// A search that leaves out what would need a person leaves such a row out too.
    case refused(KeychainError)
}
