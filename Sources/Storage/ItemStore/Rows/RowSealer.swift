import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Seals rows; it asks the key custodian for keys, so that it is never used while a transaction is open.
struct RowSealer: Sendable {
    let store: StoreIdentifier
    let digests: StoreDigests
    let source: any StoreKeySource
    let metadataKeys: MetadataKeys

    /// Seals a row's attributes, access group among them.
    ///
    /// - Throws: `errSecDataTooLarge` for attributes that are longer than ``Limits/attributeBytes``.
    func seal(
        _ metadata: ItemMetadata, at context: RowContext, secret: PreparedRow.SecretColumn
    ) throws(KeychainError) -> PreparedRow {
        guard case .text(let group)? = metadata.attributes[.accessGroup] else {
            throw KeychainError(.internalComponent, "an item without access group was about to be stored")
        }
        var metadata = metadata
        metadata.constraints = context.constraints
        let content = metadata.encode()
        let besides = (metadata.access?.count ?? 0) + (metadata.certificate?.count ?? 0)
        guard content.count - besides <= Limits.attributeBytes,
            metadata.attributes.count <= AttributeSet.maximumCount
        else {
            throw KeychainError(
                .dataTooLarge,
                "the attributes take \(content.count) bytes; an item holds \(Limits.attributeBytes) at most")
        }
        let (id, key) = try metadataKeys.forSealing(context.accessibility)
        return PreparedRow(
            context: context,
            uniqueDigest: digests.unique(
                metadata.attributes, of: context.itemClass, group: AccessGroup(group),
                isSynchronizable: context.isSynchronizable),
            search: context.isTombstone
                ? Array(repeating: nil, count: SearchColumn.allCases.count)
                : digests.search(metadata.attributes, of: context.itemClass, group: AccessGroup(group)),
            metadataKeyID: id,
            metadata: try key.seal(content, keyID: id, at: context),
            secret: secret)
    }

    /// Seals secrets, each under a fresh key of its own.
    ///
    /// The attributes of each row have to be sealed for the returned place, whose constraints the custodian has bound.
    ///
    /// - Parameter use: the user, where the rows have constraints.
    func seal(
        _ secrets: [(context: RowContext, secret: SecretBytes)], for use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> [PlacedSecret] {
        var sealed: [PlacedSecret] = []
        sealed.reserveCapacity(secrets.count)
        var start = 0
        while start < secrets.count {
            let batch = secrets[start..<min(start + EnclaveWire.maximumBatch, secrets.count)]
            let contexts = batch.map(\.context)
            let isConstrained = contexts.contains { $0.constraints != nil }
            let keys = try source.createRowKeys(contexts, for: isConstrained ? use(.encrypt) : nil, in: store)
            guard keys.count == batch.count else {
                throw KeychainError(.internalComponent, "the key custodian gave \(keys.count) keys for \(batch.count)")
            }
            for (item, key) in zip(batch, keys) {
                sealed.append(try seal(item.secret, at: item.context, under: key))
            }
            start += batch.count
        }
        return sealed
    }

    /// Seals a secret under a row key that was made for its place, and that seals nothing else.
    func seal(
        _ content: SecretBytes, at context: RowContext, under key: NewRowKey
    ) throws(KeychainError) -> PlacedSecret {
        var place = context
        guard place.constraints?.unbound == key.constraints?.unbound else {
            throw KeychainError(.internalComponent, "the key custodian bound a row key to other constraints")
        }
        place.constraints = key.constraints
        let sealed = try SealingKey(key.key).seal(
            content, as: .secret, keyID: place.secretKeyID(key.classKeyID), at: place)
        let secret = SealedSecret(classKey: Int64(key.classKeyID), rowKey: key.wrapped, sealed: sealed)
        return PlacedSecret(secret: secret, place: place)
    }

    /// A sealed secret, with the place to which it and its row key are bound.
    struct PlacedSecret {
        let secret: SealedSecret
        let place: RowContext
    }

    enum Opened {
        case secret(SecretBytes?)
        case damaged(DamageReason)
        /// What the caller gave does not satisfy the constraints; only where refused rows are left out.
        case refused

        var isDamaged: Bool { if case .damaged = self { true } else { false } }
        var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// Opens the secret of one row, as nearly every look-up needs it.
    ///
    /// - Parameters:
    ///   - use: the user, where the row has constraints.
    ///   - leavesOutRefused: whether constraints that are not satisfied are a result, and no error.
    func openSecret(
        of row: OpenedRow, for use: KeyUser = { _ in nil }, leavesOutRefused: Bool = false
    ) throws(KeychainError) -> Opened {
        try attempting(row, leavesOutRefused) { () throws(KeychainError) in try openSecret(of: row, use) }
    }

    private func openSecret(of row: OpenedRow, _ use: KeyUser) throws(KeychainError) -> Opened {
        guard let secret = row.secret else { return .secret(row.certificate.map { SecretBytes($0) }) }
        if row.context.keyCustody != nil { return try exported(secret, of: row, for: use) }
        guard let wrapped = secret.wrapped(for: row) else { return .damaged(.rowKey) }
        let isConstrained = wrapped.context.constraints != nil
        let keys = try source.openRowKeys([wrapped], for: isConstrained ? use(.decrypt) : nil, in: store)
        guard keys.count == 1 else {
            throw KeychainError(.internalComponent, "the key custodian gave \(keys.count) keys for 1")
        }
        var cipher: SealingKey?
        return try open(secret, at: row.secretContext, with: keys, 0, by: &cipher)
    }

    /// The result of `body`, or that the row is refused, where that is to be told.
    ///
    /// Only the custodian knows an application password from another one, and it says so when the key is opened.
    private func attempting(
        _ row: OpenedRow, _ leavesOutRefused: Bool, _ body: () throws(KeychainError) -> Opened
    ) throws(KeychainError) -> Opened {
        do throws(KeychainError) { return try body() } catch {
            guard leavesOutRefused, row.context.constraints != nil, error.status == .authFailed else { throw error }
            return .refused
        }
    }

    /// Opens the secrets of rows, whose keys are requested in batches; a locked one is an error for all.
    ///
    /// - Parameter leavesOutRefused: as for ``openSecret(of:for:leavesOutRefused:)``.
    func openSecrets(
        _ rows: [OpenedRow], for use: KeyUser = { _ in nil }, leavesOutRefused: Bool = false
    ) throws(KeychainError) -> [Opened] {
        if rows.count == 1 { return [try openSecret(of: rows[0], for: use, leavesOutRefused: leavesOutRefused)] }
        var opened: [Opened] = []
        opened.reserveCapacity(rows.count)
        var cipher: SealingKey?
        var start = 0
        while start < rows.count {
            let batch = rows[start..<min(start + EnclaveWire.maximumBatch, rows.count)]
            start += batch.count
            var wrapped: [WrappedRowKey] = []
            wrapped.reserveCapacity(batch.count)
            for row in batch where row.context.keyCustody == nil {
                if let key = row.secret?.wrapped(for: row) { wrapped.append(key) }
            }
            let isConstrained = wrapped.contains { $0.context.constraints != nil }
            let keys =
                wrapped.isEmpty
                ? OpenedRowKeys([])
                : try source.openRowKeys(wrapped, for: isConstrained ? use(.decrypt) : nil, in: store)
            guard keys.count == wrapped.count else {
                throw KeychainError(
                    .internalComponent, "the key custodian gave \(keys.count) keys for \(wrapped.count)")
            }
            var next = 0
            for row in batch {
                guard let secret = row.secret else {
                    opened.append(.secret(row.certificate.map { SecretBytes($0) }))
                    continue
                }
                guard row.context.keyCustody == nil else {
                    let key = try attempting(row, leavesOutRefused) { () throws(KeychainError) in
                        try exported(secret, of: row, for: use)
                    }
                    opened.append(key)
                    continue
                }
                guard secret.isWrapped else {
                    opened.append(.damaged(.rowKey))
                    continue
                }
                let content = try attempting(row, leavesOutRefused) { () throws(KeychainError) in
                    try open(secret, at: row.secretContext, with: keys, next, by: &cipher)
                }
                next += 1
                opened.append(content)
            }
        }
        return opened
    }

    /// Opens a secret.
    ///
    /// - Parameters:
    ///   - place: the place to which the secret is bound (``OpenedRow/secretContext``).
    ///   - index: which of the keys is that of the row.
    ///   - cipher: the place in which the key is prepared, which the next secret can use again.
    func open(
        _ secret: SealedSecret, at place: RowContext, with keys: OpenedRowKeys, _ index: Int,
        by cipher: inout SealingKey?
    ) throws(KeychainError) -> Opened {
        guard let id = secret.classKeyID else { return .damaged(.rowKey) }
        let sealing: SealingKey
        do throws(KeychainError) {
            sealing = try keys.withKey(at: index) { (key) throws(KeychainError) in
                try SealingKey.prepare(key, in: &cipher)
            }
        } catch {
            guard error.cause == .unsealable || error.cause == .keyDestroyed else { throw error }
            return .damaged(.rowKey)
        }
        let content = secret.sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try sealing.open(bytes, as: .secret, keyID: place.secretKeyID(id), at: place)
            }
        }
        guard case .success(let content) = content else { return .damaged(.secret) }
        return .secret(content)
    }
}

extension SealedSecret {
    /// The row key in the custodian's form; nil where it cannot be one (``isWrapped``).
    func wrapped(for row: OpenedRow) -> WrappedRowKey? {
        guard isWrapped, let classKeyID else { return nil }
        return WrappedRowKey(classKeyID: classKeyID, wrapped: rowKey, context: row.secretContext)
    }
}
