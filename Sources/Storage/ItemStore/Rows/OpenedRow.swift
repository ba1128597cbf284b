import ChatelaineModel
import Sealing

/// A row whose attributes opened and match a search.
struct OpenedRow: Sendable {
    let row: Int64
    /// Whether the row still lies in a damaged file, so that no statement finds it.
    var isPending = false
    /// The row's place, with the constraints from its metadata seal.
    let context: RowContext
    let secretVersion: UInt64
    /// The encoded access object of an item in a file keychain (``AccessObject/encoding``).
    var access: [UInt8]?
    /// The description of a private or public key.
    var key: KeyDescription?
    /// The DER of a certificate in a file keychain.
    var certificate: [UInt8]?
    /// The attributes; nil unless the search wants them.
    let encodedAttributes: EncodedAttributes?
    /// The sealed secret; nil unless the search wants it, or for an item without one.
    let secret: SealedSecret?

    /// The decoded attributes, decoded on each access; empty unless the search wants them.
    var attributes: AttributeSet { (try? encodedAttributes?.decoded()) ?? AttributeSet() }

    /// The place to which the secret and its row key are bound.
    var secretContext: RowContext {
        var context = context
        context.version = secretVersion
        return context
    }
}

extension RowContext {
    /// Adds the constraints and the custody of a key from the metadata seal to the place that the columns in clear describe.
    func with(_ constraints: AccessConstraints?, _ custody: KeyCustody?) -> RowContext {
        guard constraints != nil || custody != nil else { return self }
        var context = self
        context.constraints = constraints
        context.keyCustody = custody
        return context
    }

    /// Whether the secret opens in this process wherever its protection class is unlocked.
    var opensHere: Bool { keyCustody == nil && !(constraints?.constrains(.decrypt) ?? false) }
}
