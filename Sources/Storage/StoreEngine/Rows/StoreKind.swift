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
