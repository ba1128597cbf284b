import ChatelaineMemory
import ChatelaineModel

/// What an engine has to be told of the rows that it keeps: which columns they have, and who can open them.
package protocol StoreKind: Sendable {
    var schema: RowSchema { get }

    /// What a database that takes the place of a damaged one begins with, where the schema has a place for it. Read once its keys were opened.
    var properties: StoreProperties { get }

    /// Whether a store that is behind its mark goes on with a newer snapshot; not where its owner may have put an older one in its place.
    var goesOnFromSnapshots: Bool { get }

    /// Asks for the keys of a store. Called before any row of it is looked at, and never while a transaction is open.
    ///
    /// - Parameter isEmpty: whether it has no row yet, so that it may have any key.
    func open(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> any RowExaminer
}

extension StoreKind {
    package var properties: StoreProperties { [:] }
    package var goesOnFromSnapshots: Bool { true }
}

/// Tells whole rows of one store from damaged ones: the engine itself opens none of them.
package protocol RowExaminer: Sendable {
    /// The keys that the engine uses itself.
    var secrets: StoreSecrets { get }

    /// What seals rows anew; nil where keys are never replaced.
    var resealer: (any RowResealer)? { get }

    /// Has whoever keeps the keys remember that the store has a mark, so that it is missed where it is not there.
    func noteMark() throws(KeychainError)

    /// One verdict for each row, in their order. May ask for keys, so that it is never called while a transaction is open.
    ///
    /// Throws where keys cannot be asked for; that one is locked is a verdict.
    /// - Parameter withSecrets: whether what is sealed apart is to be opened, too.
    func examine(_ rows: [WholeRow], withSecrets: Bool) throws(KeychainError) -> [RowVerdict]

    /// What kind of row it is, in words for the log; nil where that cannot be told.
    func kind(of row: WholeRow) -> String?
}

extension RowExaminer {
    package var resealer: (any RowResealer)? { nil }
}

/// What an examiner says of a row.
package enum RowVerdict: Sendable {
    /// It opens in its place. The digests of the row are what they should be now: whoever moves it writes these.
    case whole(WholeRow, secret: SecretVerdict)
    /// Its key is locked: nobody can tell.
    case locked
    case damaged(DamageReason)
}

/// What an examiner says of what is sealed apart in a row that is whole.
package enum SecretVerdict: Sendable {
    case unopened
    case whole
    case locked
    case damaged(DamageReason)
}

/// What the engine itself needs of the keys of a store.
package struct StoreSecrets: Sendable {
    /// Of the digests of rows, which come to one sum.
    package let integrity: SecretBytes
    /// Of the seal over the head record.
    package let head: SecretBytes
    /// Of the mark outside of the store's folder.
    package let mark: SecretBytes
    /// What all keys come from; store and keybag carry each other's identifier.
    package let keybag: KeybagIdentifier
    /// How often that was written; an older copy of it has a lower number. 0 where it is not known.
    package let keybagGeneration: UInt64
    /// Whether it says that the store has a mark and a sealed head record.
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
    /// Whether a second reading found the same: only then it is moved.
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
