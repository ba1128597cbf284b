import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// Seals items anew whose class and metadata keys were replaced.
///
/// The present metadata key seals the attributes. A fresh row key seals the secret, and the present class key wraps it.
/// Version, place and contents of a row stay. Of its attributes only the version of the secret and the constraints are
/// read. A part that names no former key is not sealed anew. A row with constraints, or of a private key, keeps its row
/// key and its sealed secret: the custodian wraps the row key anew.
struct ItemResealer: RowResealer {
    let store: StoreIdentifier
    let source: any StoreKeySource
    let metadataKeys: MetadataKeys
    let sealer: RowSealer

    func supersededKeys() throws(KeychainError) -> SupersededKeys {
        let (ids, lock) = try source.supersededKeys(of: store)
        // The keys of classes that no passcode protects are always available.
        let access: SupersededKeys.Access =
            switch lock {
            case .beforeFirstUnlock: .none
            case .locked: .some
            case .unlocked: .all
            }
        return SupersededKeys(ids: Set(ids.map { Int64($0) }), access: access)
    }

    func retire(_ keys: Set<Int64>) { metadataKeys.retire(Self.identifiers(keys)) }

    func destroy(_ keys: Set<Int64>) throws(KeychainError) {
        let identifiers = Self.identifiers(keys)
        try source.destroyKeys(identifiers.sorted(), of: store)
        metadataKeys.forget(identifiers)
    }

    private static func identifiers(_ keys: Set<Int64>) -> Set<UInt32> { Set(keys.compactMap { UInt32(exactly: $0) }) }

    func isUnderDestroyedKey(_ row: WholeRow) throws(KeychainError) -> Bool {
        // The keys of this class are destroyed with the passcode, and rows under them are meant to be gone.
        guard let id = UInt32(exactly: row.metadataKey),
            row.accessibility != Int64(Accessibility.whenPasscodeSetThisDeviceOnly.rawValue)
        else { return false }
        return try metadataKeys.isDestroyed(id)
    }

    func reseal(_ rows: [WholeRow]) throws(KeychainError) -> [ResealVerdict] {
        try reseal(rows, keys: nil)
    }

    func resealParts(of rows: [WholeRow], keys: Set<Int64>) throws(KeychainError) -> [ResealVerdict] {
        try reseal(rows, keys: keys)
    }

    // MARK: One batch

    /// A row on its way from its former keys to the present ones.
    private struct Work {
        var row: WholeRow
        var verdict: ResealVerdict?
        var context: RowContext?
        /// The contents of the metadata seal; nil where the seal does not open.
        var metadata: SecretBytes?
        var secretContext: RowContext?
        var secret: SecretBytes?

        /// Handles attributes that do not open.
        mutating func lackMetadata(_ reason: DamageReason, _ keys: Set<Int64>?) {
            guard let keys else { return verdict = .damaged(reason) }
            guard keys.contains(row.metadataKey) else { return }
            row[.metadataKey] = .null
            row[.metadata] = .null
        }

        /// Handles a secret that does not open.
        mutating func lackSecret(_ reason: DamageReason, _ keys: Set<Int64>?) {
            guard let keys else { return verdict = .damaged(reason) }
            guard let secret = row.secret, keys.contains(secret.classKey) else { return }
            row.secret = nil
        }
    }

    /// A secret whose row key the custodian is asked for.
    private struct Asked {
        let index: Int
        let secret: SealedSecret
        let wrapped: WrappedRowKey
    }

    /// Seals rows anew.
    ///
    /// - Parameter keys: the keys that no row may name afterwards, so that parts that do not open are removed. Nil
    ///   where such a part makes the row damaged.
    private func reseal(_ rows: [WholeRow], keys: Set<Int64>?) throws(KeychainError) -> [ResealVerdict] {
        var work = rows.map { Work(row: $0) }
        try openMetadata(&work, keys)
        try openSecrets(&work, keys)
        try seal(&work)
        return work.map { $0.verdict ?? .resealed($0.row) }
    }

    private func openMetadata(_ work: inout [Work], _ keys: Set<Int64>?) throws(KeychainError) {
        let lost = try metadataKeys.fetch(Set(work.compactMap { UInt32(exactly: $0.row.metadataKey) }))
        let atHand = metadataKeys.all
        for index in work.indices {
            let row = work[index].row
            guard let context = row.context(in: store), let id = UInt32(exactly: row.metadataKey) else {
                work[index].lackMetadata(.columns, keys)
                work[index].lackSecret(.columns, keys)
                continue
            }
            work[index].context = context
            work[index].secretContext = context
            guard let key = atHand[id] else {
                if lost.makeDamaged(id, context.accessibility) || row[.metadata] == .null {
                    work[index].lackMetadata(.unknownKey, keys)
                } else {
                    work[index].verdict = .locked
                }
                continue
            }
            do {
                let content = try row.metadata.withUnsafeBytes {
                    try key.open($0, keyID: id, at: context)
                }
                let found = try content.withUnsafeBytes {
                    try ItemMetadata.examine(
                        $0, for: AttributeDemand(AttributeSet()), group: nil, takesCertificate: false)
                }
                guard keys != nil || (found.secretVersion == 0) == (row.secret == nil) else {
                    work[index].verdict = .damaged(.secret)
                    continue
                }
                work[index].secretContext?.version = found.secretVersion
                work[index].secretContext?.constraints = found.constraints
                work[index].secretContext?.keyCustody = found.key?.custody
                work[index].metadata = metadataKeys.isRetired(id) ? content : nil
            } catch {
                // Only a seal that does not open, or contents that are no attributes, lead here.
                work[index].lackMetadata(.metadata, keys)
            }
        }
    }

    private func openSecrets(_ work: inout [Work], _ keys: Set<Int64>?) throws(KeychainError) {
        var asked: [Asked] = []
        var rewrapped: [Asked] = []
        for index in work.indices where work[index].verdict == nil {
            guard let secret = work[index].row.secret, let context = work[index].secretContext else { continue }
            guard secret.isWrapped, let id = secret.classKeyID else {
                work[index].lackSecret(.rowKey, keys)
                continue
            }
            guard metadataKeys.isRetired(id) else { continue }
            let one = Asked(
                index: index, secret: secret,
                wrapped: WrappedRowKey(classKeyID: id, wrapped: secret.rowKey, context: context))
            if !context.keepsSecretSealed { asked.append(one) } else { rewrapped.append(one) }
        }
        try rewrap(rewrapped, &work, keys)
        var cipher: SealingKey?
        var start = 0
        while start < asked.count {
            let batch = asked[start..<min(start + EnclaveWire.maximumBatch, asked.count)]
            start += batch.count
            let rowKeys = try source.openRowKeys(batch.map(\.wrapped), for: nil, in: store)
            guard rowKeys.count == batch.count else {
                throw KeychainError(
                    .internalComponent, "the key custodian gave \(rowKeys.count) keys for \(batch.count)")
            }
            for (number, one) in batch.enumerated() {
                do throws(KeychainError) {
                    switch try sealer.open(one.secret, at: one.wrapped.context, with: rowKeys, number, by: &cipher) {
                    case .secret(let content): work[one.index].secret = content
                    case .damaged(let reason): work[one.index].lackSecret(reason, keys)
                    case .refused: break
                    }
                } catch {
                    guard error.cause == .locked else { throw error }
                    work[one.index].verdict = .locked
                }
            }
        }
    }

    /// Has the custodian wrap the row keys of private keys and of rows with constraints anew.
    ///
    /// Their secrets stay as they are, since nothing opens them here.
    private func rewrap(_ asked: [Asked], _ work: inout [Work], _ keys: Set<Int64>?) throws(KeychainError) {
        var start = 0
        while start < asked.count {
            let batch = asked[start..<min(start + EnclaveWire.maximumBatch, asked.count)]
            start += batch.count
            let wrapped = try source.rewrapRowKeys(batch.map(\.wrapped), in: store)
            guard wrapped.count == batch.count else {
                throw KeychainError(
                    .internalComponent, "the key custodian gave \(wrapped.count) keys for \(batch.count)")
            }
            for (one, key) in zip(batch, wrapped) {
                switch key {
                case .success(let key):
                    work[one.index].row.secret = SealedSecret(
                        classKey: Int64(key.classKeyID), rowKey: key.wrapped, sealed: one.secret.sealed)
                case .failure(let error) where error.cause == .locked: work[one.index].verdict = .locked
                case .failure(let error) where error.cause == .unsealable || error.cause == .keyDestroyed:
                    work[one.index].lackSecret(.rowKey, keys)
                case .failure(let error): throw error
                }
            }
        }
    }

    private func seal(_ work: inout [Work]) throws(KeychainError) {
        // There is one request for each class, so that a class that was locked meanwhile does not stop the others.
        var classes: [Accessibility: [Int]] = [:]
        for index in work.indices where work[index].verdict == nil {
            guard let context = work[index].context else { continue }
            if work[index].metadata != nil || work[index].secret != nil {
                classes[context.accessibility, default: []].append(index)
            }
        }
        for indices in classes.values {
            do throws(KeychainError) { try seal(&work, indices) } catch {
                guard error.cause == .locked else { throw error }
                for index in indices { work[index].verdict = .locked }
            }
        }
    }

    private func seal(_ work: inout [Work], _ indices: [Int]) throws(KeychainError) {
        var (places, secrets): ([Int], [(context: RowContext, secret: SecretBytes)]) = ([], [])
        for index in indices {
            guard let secret = work[index].secret, let context = work[index].secretContext else { continue }
            places.append(index)
            secrets.append((context, secret))
        }
        for (index, sealed) in zip(places, try sealer.seal(secrets)) { work[index].row.secret = sealed.secret }
        for index in indices {
            guard let content = work[index].metadata, let context = work[index].context else { continue }
            let (id, key) = try metadataKeys.forSealing(context.accessibility)
            work[index].row.metadataKey = Int64(id)
            work[index].row.metadata = try key.seal(content, keyID: id, at: context)
        }
    }
}
