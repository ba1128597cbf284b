import ChatelaineModel

/// One indexed look-up of a search, and what the rows that it brings up must hold.
struct SearchProbe: Sendable {
    let statement: StoreStatement
    /// The digest or identifier that is looked up.
    let value: [UInt8]
    /// Everything that the query demands, access group included.
    let wanted: AttributeSet
    /// The part of it that the index vouches for: a row without it is damaged, not merely another item.
    let indexed: AttributeSet
}
