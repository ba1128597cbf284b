import ChatelaineModel

/// Seals rows anew whose keys were superseded, and destroys those keys; for a kind of store whose keys can be replaced.
///
/// A resealer may ask for keys, so that the engine calls no member while a transaction is open.
package protocol RowResealer: Sendable {
    /// The keys that are to be destroyed once no row needs them; the engine asks often, so that the answer is cheap.
    func supersededKeys() throws(KeychainError) -> SupersededKeys

    /// From now on nothing is sealed by these keys; data that they sealed before may still be on its way into the
    /// store.
    func retire(_ keys: Set<Int64>)

    /// Seals rows anew; answers one verdict for each, in their order.
    ///
    /// A resealed row keeps its meaning and its version. A locked key is a verdict.
    ///
    /// - Throws: where keys cannot be asked for.
    func reseal(_ rows: [WholeRow]) throws(KeychainError) -> [ResealVerdict]

    /// Seals the parts of damaged rows in the quarantine anew that still open, and replaces the other parts by NULL.
    ///
    /// Afterwards the rows name none of these keys. The verdict is never ``ResealVerdict/damaged(_:)``.
    func resealParts(of rows: [WholeRow], keys: Set<Int64>) throws(KeychainError) -> [ResealVerdict]

    /// Destroys keys for good; a key that is destroyed already is no error.
    func destroy(_ keys: Set<Int64>) throws(KeychainError)

    /// Whether a replaced and destroyed key seals the row, so that no key opens it any more.
    func isUnderDestroyedKey(_ row: WholeRow) throws(KeychainError) -> Bool
}

/// Keys that were replaced, and still open the data that they sealed until it is sealed anew.
package struct SupersededKeys: Equatable, Sendable {
    /// How many of the keys are available.
    package enum Access: Sendable {
        case none, some, all
    }

    /// The numbers of the keys, as rows name them (``RowColumn/namesKey``).
    package var ids: Set<Int64>
    package var access: Access

    package init(ids: Set<Int64> = [], access: Access = .all) {
        self.ids = ids
        self.access = access
    }
}

/// The result of sealing a row anew.
package enum ResealVerdict: Sendable {
    case resealed(WholeRow)
    /// The row's key is locked.
    case locked
    /// The row does not open.
    case damaged(DamageReason)
}
