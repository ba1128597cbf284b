import ChatelaineMemory
import ChatelaineModel
import Sealing

/// Opens the attributes of rows with the keys at hand, and matches them against a search.
///
/// No enclave is asked from here: a row whose key is not at hand says so, since a read transaction is open.
struct RowOpener {
    enum Verdict {
        case match(OpenedRow)
        case mismatch
        case missingKey(UInt32)
        case damaged(DamageReason)
    }

    let store: ItemIdentifier
    let keys: [UInt32: SealingKey]
    /// Ids that the keybag does not know.
    let unknownKeys: Set<UInt32>

    func judge(_ statement: PreparedStatement, _ plan: SearchPlan, _ probe: SearchProbe) -> Verdict {
        judge(statement, wantsSecret: plan.wantsSecret) { content, context, secret in
            let (secretVersion, isMatch) = try ItemMetadata.examine(content, for: probe.wanted)
            guard isMatch else {
                let attributes = try ItemMetadata(decoding: content).attributes
                return attributes.satisfies(probe.indexed) ? .mismatch : .damaged(.digest)
            }
            var attributes = AttributeSet()
            if plan.wantsAttributes || plan.groups != nil || plan.host != nil {
                attributes = try ItemMetadata(decoding: content).attributes
                if let groups = plan.groups {
                    guard groups.contains(where: { attributes[.accessGroup]?.matches(.text($0)) ?? false }) else {
                        return .mismatch
                    }
                }
                if let host = plan.host, !Self.server(attributes[.server], isAtOrBelow: host) { return .mismatch }
            }
            return .match(
                OpenedRow(
                    row: statement.integer(StoredRow.Column.row), context: context, secretVersion: secretVersion,
                    attributes: plan.wantsAttributes ? attributes : AttributeSet(), secret: secret))
        }
    }

    /// Whether the row is whole and stands under the digest that its attributes give.
    func judge(_ statement: PreparedStatement, wantsSecret: Bool, digests: StoreDigests) -> Verdict {
        judge(statement, wantsSecret: wantsSecret) { content, context, secret in
            let metadata = try ItemMetadata(decoding: content)
            guard case .text(let group)? = metadata.attributes[.accessGroup] else { return .damaged(.metadata) }
            let unique = digests.unique(
                metadata.attributes, of: context.itemClass, group: group,
                isSynchronizable: context.isSynchronizable)
            guard statement.lend(StoredRow.Column.uniqueDigest).elementsEqual(unique) else { return .damaged(.digest) }
            return .match(
                OpenedRow(
                    row: statement.integer(StoredRow.Column.row), context: context,
                    secretVersion: metadata.secretVersion, attributes: metadata.attributes, secret: secret))
        }
    }

    private func judge(
        _ statement: PreparedStatement, wantsSecret: Bool,
        _ body: (UnsafeRawBufferPointer, RowContext, SealedSecret?) throws -> Verdict
    ) -> Verdict {
        guard let context = RowContext(statement, store: store),
            let keyID = UInt32(exactly: statement.integer(StoredRow.Column.metadataKey))
        else { return .damaged(.columns) }
        guard let key = keys[keyID] else {
            return unknownKeys.contains(keyID) ? .damaged(.unknownKey) : .missingKey(keyID)
        }
        do {
            let content = try key.open(
                statement.lend(StoredRow.Column.metadata), for: SealContext(.metadata, keyID: keyID, row: context))
            let secret = wantsSecret ? SealedSecret(statement) : nil
            let verdict = try content.withUnsafeBytes { try body($0, context, secret) }
            if wantsSecret, case .match(let row) = verdict, (row.secretVersion == 0) != (secret == nil) {
                return .damaged(.secret)
            }
            return verdict
        } catch {
            // Only a seal that does not open and bytes that are no attributes lead here.
            return .damaged(.metadata)
        }
    }

    /// The host match of internet passwords (behaviour A.5), byte for byte.
    static func server(_ value: AttributeValue?, isAtOrBelow host: String) -> Bool {
        let server: [UInt8]
        switch value {
        case .text(let text): server = Array(text.utf8)
        case .data(let data): server = data
        default: return false
        }
        let host = Array(host.utf8)
        if server == host { return true }
        return server.count > host.count && server.suffix(host.count).elementsEqual(host)
            && server[server.count - host.count - 1] == UInt8(ascii: ".")
    }
}
