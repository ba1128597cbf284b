import ChatelaineModel
import StoreEngine

/// What a store of items says about itself.
@dynamicMemberLookup
package struct StoreStatistics: Sendable {
    package var store: StoreIdentifier
    /// Live items by class.
    package var items: [ItemClass: Int]
    package var tombstones: Int
    /// What every store says, whatever its rows are.
    package var rows: RowStatistics

    package subscript<Value>(dynamicMember member: KeyPath<RowStatistics, Value>) -> Value { rows[keyPath: member] }
}
