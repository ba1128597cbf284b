import ChatelaineMemory
import ChatelaineModel

/// Tells whole rows of one store from damaged ones; the engine itself opens none.
package protocol RowExaminer: Sendable {
    /// The keys that the engine uses itself.
    var secrets: StoreSecrets { get }

    /// The value that seals rows anew; nil where keys are never replaced.
    var resealer: (any RowResealer)? { get }

    /// Has the key custodian remember that the store has a mark, so that a later opening notices a missing one.
    func noteMark() throws(KeychainError)

    /// Examines rows; answers one verdict for each, in their order.
    ///
    /// An examiner may ask for keys, so that the engine never calls this while a transaction is open. A locked key is a
    /// verdict.
    ///
    /// - Parameter withSecrets: whether the secrets are to be opened, too.
    /// - Throws: where keys cannot be asked for.
    func examine(_ rows: [WholeRow], withSecrets: Bool) throws(KeychainError) -> [RowVerdict]

    /// The kind of a row, in words for the log; nil for an unknown kind.
    func kind(of row: WholeRow) -> String?
}

extension RowExaminer {
    package var resealer: (any RowResealer)? { nil }
}

/// The result of examining a row.
package enum RowVerdict: Sendable {
    /// The row opens in its place.
    ///
    /// The value has the right digests, which a caller that moves the row writes.
    case whole(WholeRow, secret: SecretVerdict)
    /// The row's key is locked, so that its state is unknown.
    case locked
    case damaged(DamageReason)
}

/// The result of examining the secret of a whole row.
package enum SecretVerdict: Sendable {
    case unopened
    case whole
    case locked
    case damaged(DamageReason)
}

/// A row that did not open.
package struct DamagedRow: Sendable {
    package let row: Int64
    package let identifier: [UInt8]
    /// The digest that no two rows share; nil where the table has none.
    package let unique: [UInt8]?
    package let kind: String?
    package let reason: DamageReason
    /// Whether a second reading of the row confirms the damage; only then the row is moved.
    package let isConfirmed: @Sendable (WholeRow) -> Bool

    package init(
        row: Int64, identifier: [UInt8], unique: [UInt8]?, kind: String?, reason: DamageReason,
        isConfirmed: @escaping @Sendable (WholeRow) -> Bool
    ) {
        self.row = row
        self.identifier = identifier
        self.unique = unique
        self.kind = kind
        self.reason = reason
        self.isConfirmed = isConfirmed
    }
}
