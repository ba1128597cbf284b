import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// A row that is being prepared for its addition.
struct RowDraft: Sendable {
    var item: NewItem
    var context: RowContext
    /// All attributes, access group and dates among them.
    var attributes: AttributeSet
    /// The attributes as the caller gave them, with group and dates.
    private let given: AttributeSet
    /// The description of a private or public key, once it is known.
    var key: KeyDescription?
    /// The custodian's description of a private key.
    var content: KeyContent?
    /// A private key that the custodian made, with the place that it was made for.
    var made: SealedKey?
    var prepared: PreparedRow?
    /// The tombstone that the row replaces.
    var buried: ReplacedTombstone?
    /// The kind and size of a private key that is to be made.
    var generated: KeySource?
    /// The DER of a certificate that is kept with its attributes.
    let certificate: [UInt8]?

    init(_ item: NewItem, context: RowContext, group: AccessGroup, now: Double, form: AttributeSeal.Form = .sealed) {
        let isPublic = item.itemClass == .certificate && form == .authenticated
        certificate = isPublic ? item.secret.map { $0.withUnsafeBytes { [UInt8]($0) } } : nil
        self.item = item
        self.context = context
        var attributes = item.attributes
        attributes[.accessGroup] = .text(group.text)
        attributes[.creationDate] = .date(now)
        attributes[.modificationDate] = .date(now)
        (self.attributes, given) = (attributes, attributes)
        if item.itemClass != .key || item.keyKind == nil {
            fillUniqueKeys()
        } else if item.keyCustody == nil, let kind = item.keyKind, let secret = item.secret {
            // A public key is what its program declares it to be; whoever uses it decodes it.
            key = KeyDescription(kind: kind, custody: nil, publicBytes: secret.withUnsafeBytes { [UInt8]($0) })
            fillUniqueKeys()
        }
    }

    /// The source of a private key; nil for any other row.
    var keySource: KeySource? {
        if let made { return .kept(made) }
        if let generated { return generated }
        guard context.keyCustody != nil, let kind = item.keyKind, let secret = item.secret else { return nil }
        return .brought(kind, secret)
    }

    /// The part that is sealed by itself.
    var secret: SecretBytes? { certificate == nil ? item.secret : nil }

    var metadata: ItemMetadata {
        ItemMetadata(
            secretVersion: secret == nil && keySource == nil ? 0 : context.version, access: item.access?.encoding,
            key: key, certificate: certificate, attributes: attributes)
    }

    /// The row before it is stored, as an authoriser sees it.
    var opened: OpenedRow {
        OpenedRow(
            row: 0, context: context, secretVersion: context.version, encodedAttributes: EncodedAttributes(attributes),
            secret: nil)
    }

    /// Takes over the custodian's description of a key.
    mutating func complete(by content: KeyContent) {
        let isPrivate = context.keyCustody != nil
        if self.content != content { prepared = nil }
        self.content = content
        if !isPrivate { item.secret = SecretBytes(content.publicBytes) }
        attributes = given
        key = KeyDescription(kind: content.kind, custody: context.keyCustody, publicBytes: content.publicBytes)
        let isExtractable = key?.isExportable ?? true
        let own =
            content.kind == .aes
            ? KeyAttributes(aesBits: Int(content.bits), isExtractable: isExtractable)
            : KeyAttributes(
                kind: content.kind, isPrivate: isPrivate, bits: Int(content.bits), label: content.label,
                isExtractable: isExtractable)
        own.fill(&attributes)
        fillUniqueKeys()
    }

    /// Keeps the made key for further attempts at the addition.
    ///
    /// A key with constraints is made anew for each attempt: moving it would need a person.
    mutating func keep(_ key: RowSealer.PlacedSecret) {
        guard key.place.constraints == nil, let id = key.secret.classKeyID else { return }
        made = SealedKey(
            rowKey: WrappedRowKey(classKeyID: id, wrapped: key.secret.rowKey, context: key.place),
            sealed: key.secret.sealed)
    }

    private mutating func fillUniqueKeys() {
        let schema = AttributeSchema.of(item.itemClass)
        for key in schema.uniqueKeys where attributes[key] == nil { attributes[key] = schema.uniqueDefault(for: key) }
    }
}
