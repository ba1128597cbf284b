import ChatelaineMemory
import ChatelaineModel

/// A kind of store, as the engine sees it: the columns of its rows, and the access to their keys.
package protocol StoreKind: Sendable {
    var schema: RowSchema { get }

    /// The initial properties of a database that replaces a damaged one, where the schema has a table for them.
    ///
    /// The engine reads them after it opened the keys.
    var properties: StoreProperties { get }

    /// Whether a store that is behind its mark goes on with a newer snapshot.
    ///
    /// It does not where the owner may have put an older store in its place.
    var goesOnFromSnapshots: Bool { get }

    /// Gets the keys of a store.
    ///
    /// The engine calls this before it looks at a row, and never while a transaction is open.
    ///
    /// - Parameter isEmpty: whether the store has no row yet, so that any key may belong to it.
    func open(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> any RowExaminer
}

extension StoreKind {
    package var properties: StoreProperties { [:] }
    package var goesOnFromSnapshots: Bool { true }
}

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

/// The keys of a store that the engine itself uses.
package struct StoreSecrets: Sendable {
    /// The key of the digests of rows, which add up to one sum.
    package let integrity: SecretBytes
    /// The key of the seal over the head record.
    package let head: SecretBytes
    /// The key of the mark outside of the store's folder.
    package let mark: SecretBytes
    /// The keybag from which all keys come; store and keybag each record the other's identifier.
    package let keybag: KeybagIdentifier
    /// How often the keybag was written; an older copy has a lower number, and 0 stands for an unknown one.
    package let keybagGeneration: UInt64
    /// Whether the keybag says that the store has a mark and a sealed head record.
    package let isMarked: Bool

    package init(
        integrity: SecretBytes, head: SecretBytes, mark: SecretBytes, keybag: KeybagIdentifier,
        keybagGeneration: UInt64 = 0, isMarked: Bool
    ) {
        self.integrity = integrity
        self.head = head
        self.mark = mark
        self.keybag = keybag
        self.keybagGeneration = keybagGeneration
        self.isMarked = isMarked
    }
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
