import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// A row on its way into the store.
struct RowDraft: Sendable {
    var item: NewItem
    var context: RowContext
    /// All of them, access group and dates among them.
    var attributes: AttributeSet
    /// The same as they were given.
    private let given: AttributeSet
    /// Of a private or public key, once that is known.
    var key: KeyDescription?
    /// What the custodian told of a private key.
    var content: KeyContent?
    /// A private key that was made, at the place for which it was.
    var made: SealedKey?
    var prepared: PreparedRow?
    /// What it takes the place of.
    var buried: ReplacedTombstone?
    /// Of a private key that is to be made: what kind, and how large.
    var generated: KeySource?
    /// Of a certificate that stands with its attributes: DER.
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
        } else if item.privateKeyUse == nil, let kind = item.keyKind, let secret = item.secret {
            // A public key is what its program says that it is, and read by whoever uses it.
            key = KeyDescription(kind: kind, use: nil, publicBytes: secret.withUnsafeBytes { [UInt8]($0) })
            fillUniqueKeys()
        }
    }

    /// Where a private key comes from; nil for everything else.
    var keySource: KeySource? {
        if let made { return .kept(made) }
        if let generated { return generated }
        guard context.privateKeyUse != nil, let kind = item.keyKind, let secret = item.secret else { return nil }
        return .brought(kind, secret)
    }

    /// What is sealed by itself.
    var secret: SecretBytes? { certificate == nil ? item.secret : nil }

    var metadata: ItemMetadata {
        ItemMetadata(
            secretVersion: secret == nil && keySource == nil ? 0 : context.version, access: item.access?.encoding,
            key: key, certificate: certificate, attributes: attributes)
    }

    /// As it stands before it is stored, for whoever decides about that.
    var opened: OpenedRow {
        OpenedRow(
            row: 0, context: context, secretVersion: context.version, encodedAttributes: EncodedAttributes(attributes),
            secret: nil)
    }

    /// Has a key say what it turned out to be.
    mutating func complete(by content: KeyContent) {
        let isPrivate = context.privateKeyUse != nil
        if self.content != content { prepared = nil }
        self.content = content
        if !isPrivate { item.secret = SecretBytes(content.publicBytes) }
        attributes = given
        key = KeyDescription(kind: content.kind, use: context.privateKeyUse, publicBytes: content.publicBytes)
        KeyAttributes(
            kind: content.kind, isPrivate: isPrivate, bits: Int(content.bits), label: content.label,
            isExtractable: key?.isExportable ?? true
        ).fill(&attributes)
        fillUniqueKeys()
    }

    /// Has the key that was made stay the same, whatever is in the row's way.
    ///
    /// One with constraints is made anew in place of that: it would take a person to have it moved.
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
