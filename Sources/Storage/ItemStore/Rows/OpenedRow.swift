import ChatelaineModel
import Sealing

/// A row whose attributes opened and match.
struct OpenedRow: Sendable {
    let row: Int64
    /// Whether it still lies in a damaged file, so that no statement finds it.
    var isPending = false
    let context: RowContext
    let secretVersion: UInt64
    /// Nil unless asked for.
    let encodedAttributes: EncodedAttributes?
    /// Still sealed; nil unless asked for, or when the item has none.
    let secret: SealedSecret?

    /// The attributes as values, made anew each time; empty unless asked for.
    var attributes: AttributeSet { (try? encodedAttributes?.decoded()) ?? AttributeSet() }

    /// The place to which the secret and its row key are bound.
    var secretContext: RowContext {
        var context = context
        context.version = secretVersion
        return context
    }
}
