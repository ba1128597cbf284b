import ChatelaineModel

/// A row whose attributes opened and match.
struct OpenedRow: Sendable {
    let row: Int64
    let context: RowContext
    let secretVersion: UInt64
    /// Empty unless asked for.
    let attributes: AttributeSet
    /// Still sealed; nil unless asked for, or when the item has none.
    let secret: SealedSecret?

    /// The place to which the secret and its row key are bound.
    var secretContext: RowContext {
        var context = context
        context.version = secretVersion
        return context
    }
}
