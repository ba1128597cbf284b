import ChatelaineModel
import StoreEngine

/// The statistics of a store of items.
@dynamicMemberLookup
package struct StoreStatistics: Sendable {
    package var store: StoreIdentifier
    /// Live items by class.
    package var items: [ItemClass: Int]
    package var tombstones: Int
    /// The statistics of every store, whatever its rows are.
    package var rows: RowStatistics

    package subscript<Value>(dynamicMember member: KeyPath<RowStatistics, Value>) -> Value { rows[keyPath: member] }
}
