import ChatelaineModel
import Sealing

/// A row whose attributes opened and match a search.
///
/// It is a class, since a listing passes each row through half a dozen hands, and copies of its parts cost as much as a
/// decryption.
final class OpenedRow: Sendable {
    let row: Int64
    /// Whether the row still lies in a damaged file, so that no statement finds it.
    let isPending: Bool
    /// The row's place, with the constraints from its metadata seal.
    let context: RowContext
    let secretVersion: UInt64
    /// The encoded access object of an item in a file keychain (``AccessObject/encoding``).
    let access: [UInt8]?
    /// The description of a private or public key.
    let key: KeyDescription?
    /// The DER of a certificate in a file keychain.
    let certificate: [UInt8]?
    /// The attributes; nil unless the search wants them.
    let encodedAttributes: EncodedAttributes?
    /// The sealed secret; nil unless the search wants it, or for an item without one.
    let secret: SealedSecret?

    init(
        row: Int64, isPending: Bool = false, context: RowContext, secretVersion: UInt64, access: [UInt8]? = nil,
        key: KeyDescription? = nil, certificate: [UInt8]? = nil, encodedAttributes: EncodedAttributes?,
        secret: SealedSecret?
    ) {
        self.row = row
        self.isPending = isPending
        self.context = context
        self.secretVersion = secretVersion
        self.access = access
        self.key = key
        self.certificate = certificate
        self.encodedAttributes = encodedAttributes
        self.secret = secret
    }

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
    /// Adds the constraints and the custody of a key from the metadata seal to the place that the columns in clear
    /// describe.
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
