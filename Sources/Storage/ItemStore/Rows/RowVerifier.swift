import ChatelaineMemory
import ChatelaineModel
import Sealing
import StoreEngine

/// Opens the attributes of a row and compares all its digests with them, for checks and for salvage.
///
/// Like ``RowOpener``, it never asks for keys.
struct RowVerifier {
    enum Verdict {
        /// The attributes open in their place.
        ///
        /// The row has the right digests, which a caller that moves the row writes.
        case whole(OpenedRow, WholeRow)
        case missingKey(UInt32)
        case damaged(DamageReason)
    }

    let store: StoreIdentifier
    let keys: [UInt32: AttributeSeal]
    let lostKeys: LostKeys
    let digests: StoreDigests

    func examine(_ row: WholeRow) -> Verdict {
        guard let context = row.context(in: store), let keyID = UInt32(exactly: row.metadataKey),
            !row.hasUnknownColumns
        else { return .damaged(.columns) }
        guard let key = keys[keyID] else {
            return lostKeys.makeDamaged(keyID, context.accessibility) ? .damaged(.unknownKey) : .missingKey(keyID)
        }
        do {
            let content = try row.metadata.withUnsafeBytes { bytes in
                try key.open(bytes, keyID: keyID, at: context)
            }
            let metadata = try content.withUnsafeBytes { try ItemMetadata(decoding: $0) }
            guard case .text(let group)? = metadata.attributes[.accessGroup] else { return .damaged(.metadata) }
            let secret = row.secret
            guard (metadata.secretVersion == 0) == (secret == nil) else { return .damaged(.secret) }
            var indexed = row
            indexed.uniqueDigest = digests.unique(
                metadata.attributes, of: context.itemClass, group: AccessGroup(group),
                isSynchronizable: context.isSynchronizable)
            indexed.search =
                context.isTombstone
                ? Array(repeating: nil, count: SearchColumn.allCases.count)
                : digests.search(metadata.attributes, of: context.itemClass, group: AccessGroup(group)).map {
                    $0?.array
                }
            let opened = OpenedRow(
                row: row.row, context: context.with(metadata.constraints, metadata.key?.custody),
                secretVersion: metadata.secretVersion, access: metadata.access, key: metadata.key,
                certificate: metadata.certificate, encodedAttributes: nil, secret: secret)
            return .whole(opened, indexed)
        } catch {
            // Only a seal that does not open, or contents that are no attributes, lead here.
            return .damaged(.metadata)
        }
    }

    /// The attributes of a row whose metadata seal opens, whatever else is damaged.
    ///
    /// - Parameter seal: replaces the key that the row names.
    func attributes(of row: WholeRow, by seal: AttributeSeal? = nil) -> AttributeSet? {
        guard let context = row.context(in: store), let keyID = UInt32(exactly: row.metadataKey),
            let key = seal ?? keys[keyID]
        else { return nil }
        return try? row.metadata.withUnsafeBytes { bytes in
            let content = try key.open(bytes, keyID: keyID, at: context)
            return try content.withUnsafeBytes { try ItemMetadata(decoding: $0).attributes }
        }
    }
}
