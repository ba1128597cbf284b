import ChatelaineMemory
import ChatelaineModel
import Sealing
import StoreEngine

/// Opens the attributes of rows with cached keys, and matches them against a search.
///
/// A read transaction is open, so that the opener never asks the enclave: it reports a missing key.
struct RowOpener {
    enum Verdict {
        case match(OpenedRow)
        case mismatch
        case missingKey(UInt32)
        case damaged(DamageReason)
    }

    let store: StoreIdentifier
    let keys: [UInt32: AttributeSeal]
    let lostKeys: LostKeys
    /// How rows are read whose key is not among ``keys``; nil if they are not read.
    private let unknown: AttributeSeal?
    private let memory = AttributeMemory()

    init(store: StoreIdentifier, keys: [UInt32: AttributeSeal], lostKeys: LostKeys) {
        (self.store, self.keys, self.lostKeys, unknown) = (store, keys, lostKeys, nil)
    }

    /// Reads a locked store, whose keys are never looked up.
    init(unverified store: StoreIdentifier) {
        (self.store, keys, lostKeys, unknown) = (store, [:], LostKeys(), .unverified)
    }

    /// Judges a row that a search found.
    ///
    /// - Parameter digests: given for a row outside of the store, which has to be as it would be in the store.
    func judge(
        _ statement: PreparedStatement, _ plan: SearchPlan, _ probe: SearchProbe, verifying digests: StoreDigests? = nil
    ) -> Verdict {
        judge(statement, wantsSecret: plan.wantsSecret) { content, context, secret in
            let found = try ItemMetadata.examine(
                content, for: probe.wanted, group: probe.group, takesCertificate: plan.wantsCertificates)
            let attributes = UnsafeRawBufferPointer(rebasing: content.dropFirst(found.attributesOffset))
            guard found.isMatch else {
                return probe.brings(try EncodedAttributes.decoded(attributes)) ? .mismatch : .damaged(.digest)
            }
            guard plan.constraints.admits(found.constraints) else { return .mismatch }
            if plan.groups != nil || plan.host != nil {
                guard plan.admits(try EncodedAttributes.decoded(attributes)) else { return .mismatch }
            }
            if let digests {
                guard Self.isUnique(try EncodedAttributes.decoded(attributes), statement, context, digests) else {
                    return .damaged(.digest)
                }
                let isWithoutSecret = statement.isNull(StoredRow.Column.secret)
                guard (found.secretVersion == 0) == isWithoutSecret else { return .damaged(.secret) }
            }
            return .match(
                OpenedRow(
                    row: statement.integer(StoredRow.Column.row), isPending: digests != nil,
                    context: context.with(found.constraints, found.key?.custody),
                    secretVersion: found.secretVersion, access: found.access, key: found.key,
                    certificate: found.certificate,
                    encodedAttributes: plan.wantsAttributes ? EncodedAttributes(copying: attributes) : nil,
                    secret: secret))
        }
    }

    /// Opens a row, and checks that it stands under the digest of its attributes.
    func judge(_ statement: PreparedStatement, wantsSecret: Bool, digests: StoreDigests) -> Verdict {
        judge(statement, wantsSecret: wantsSecret) { content, context, secret in
            let metadata = try ItemMetadata(decoding: content)
            guard case .text? = metadata.attributes[.accessGroup] else { return .damaged(.metadata) }
            guard Self.isUnique(metadata.attributes, statement, context, digests) else { return .damaged(.digest) }
            return .match(
                OpenedRow(
                    row: statement.integer(StoredRow.Column.row),
                    context: context.with(metadata.constraints, metadata.key?.custody),
                    secretVersion: metadata.secretVersion, access: metadata.access, key: metadata.key,
                    certificate: metadata.certificate, encodedAttributes: EncodedAttributes(metadata.attributes),
                    secret: secret))
        }
    }

    /// Whether the row stands under the digest of its attributes.
    private static func isUnique(
        _ attributes: AttributeSet, _ statement: PreparedStatement, _ context: RowContext, _ digests: StoreDigests
    ) -> Bool {
        guard case .text(let group)? = attributes[.accessGroup] else { return false }
        let unique = digests.unique(
            attributes, of: context.itemClass, group: AccessGroup(group), isSynchronizable: context.isSynchronizable)
        return statement.lend(StoredRow.Column.uniqueDigest).elementsEqual(unique)
    }

    private func judge(
        _ statement: PreparedStatement, wantsSecret: Bool,
        _ body: (UnsafeRawBufferPointer, RowContext, SealedSecret?) throws -> Verdict
    ) -> Verdict {
        guard let context = RowContext(statement, store: store),
            let keyID = UInt32(exactly: statement.integer(StoredRow.Column.metadataKey))
        else { return .damaged(.columns) }
        guard let key = keys[keyID] ?? unknown else {
            if lostKeys.makeDamaged(keyID, context.accessibility) { return .damaged(.unknownKey) }
            // The row is deleted already, or about to be.
            return lostKeys.destroyed.contains(keyID) ? .mismatch : .missingKey(keyID)
        }
        do {
            let secret = wantsSecret ? SealedSecret(statement) : nil
            let stored = statement.lend(StoredRow.Column.metadata)
            let verdict = try memory.withContent(of: stored, by: key, keyID, at: context) {
                try body($0, context, secret)
            }
            if wantsSecret, case .match(let row) = verdict, (row.secretVersion == 0) != (secret == nil) {
                return .damaged(.secret)
            }
            return verdict
        } catch {
            // Only a seal that does not open, or contents that are no attributes, lead here.
            return .damaged(.metadata)
        }
    }
}

/// The memory in which the attributes of one row after the other are opened.
///
/// A search looks at the attributes of each row, and keeps few of them. Memory for each row would cost as much as the
/// decryption.
private final class AttributeMemory {
    /// Room for the attributes of most items.
    private static let byteCount = 512

    // The exclusivity checks are off: the one closure to which the content is lent opens no other row.
    @exclusivity(unchecked) private var buffer = SecretBuffer(capacity: byteCount)

    /// Opens the attributes of a row, lends them to `body`, and wipes them.
    func withContent<Result>(
        of stored: UnsafeRawBufferPointer, by seal: AttributeSeal, _ keyID: UInt32, at row: RowContext,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        defer { buffer.reset() }
        try seal.open(stored, keyID: keyID, at: row, into: &buffer)
        return try buffer.withUnsafeBytes(body)
    }
}
