import ChatelaineModel

/// Seals rows anew whose keys were superseded, and has those keys destroyed: what a kind of store has whose keys can be replaced.
///
/// May ask for keys, so that nothing of it is called while a transaction is open.
package protocol RowResealer: Sendable {
    /// The keys that are to be destroyed once no row needs them; asked for again and again, and cheap.
    func supersededKeys() throws(KeychainError) -> SupersededKeys

    /// From now on nothing is sealed by these keys. What was sealed before may still be on its way into the store.
    func retire(_ keys: Set<Int64>)

    /// One verdict for each row, in their order. A row that is sealed anew means the same, in the same version.
    ///
    /// Throws where keys cannot be asked for; that one is locked is a verdict.
    func reseal(_ rows: [WholeRow]) throws(KeychainError) -> [ResealVerdict]

    /// The same for damaged rows that were set aside: what of them opens is sealed anew, and what does not is left out (NULL), so that
    /// none of these keys is named any more. Never ``ResealVerdict/damaged(_:)``.
    func resealParts(of rows: [WholeRow], keys: Set<Int64>) throws(KeychainError) -> [ResealVerdict]

    /// Destroys keys for good; also those that are destroyed already.
    func destroy(_ keys: Set<Int64>) throws(KeychainError)

    /// Whether a row is sealed by a key that was destroyed because it had been replaced, so that nothing opens it any more.
    func isUnderDestroyedKey(_ row: WholeRow) throws(KeychainError) -> Bool
}

/// Keys that were replaced, and open what they have sealed until that is sealed anew.
package struct SupersededKeys: Equatable, Sendable {
    /// How many of them can be had.
    package enum Access: Sendable {
        case none, some, all
    }

    /// As rows name them (``RowColumn/namesKey``).
    package var ids: Set<Int64>
    package var access: Access

    package init(ids: Set<Int64> = [], access: Access = .all) {
        self.ids = ids
        self.access = access
    }
}

/// What became of a row that was to be sealed anew.
package enum ResealVerdict: Sendable {
    case resealed(WholeRow)
    /// Its key is locked.
    case locked
    /// It does not open.
    case damaged(DamageReason)
}
