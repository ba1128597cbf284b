import ChatelaineModel
import Sealing

/// A row whose attributes opened and match.
struct OpenedRow: Sendable {
    let row: Int64
    /// Whether it still lies in a damaged file, so that no statement finds it.
    var isPending = false
    /// With the constraints that stand among its attributes.
    let context: RowContext
    let secretVersion: UInt64
    /// Of a row of a file keychain: ``AccessObject/encoding``.
    var access: [UInt8]?
    /// Of a private or public key.
    var key: KeyDescription?
    /// Of a certificate in a file keychain: DER.
    var certificate: [UInt8]?
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

extension RowContext {
    /// The place that the columns in clear describe, and what the attributes say of it besides.
    func with(_ constraints: AccessConstraints?, _ use: PrivateKeyUse?) -> RowContext {
        guard constraints != nil || use != nil else { return self }
        var context = self
        context.constraints = constraints
        context.privateKeyUse = use
        return context
    }

    /// Whether the secret's row key is had wherever the protection class is open.
    var opensHere: Bool { privateKeyUse == nil && !(constraints?.constrains(.decrypt) ?? false) }
}
