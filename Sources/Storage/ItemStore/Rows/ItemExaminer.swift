import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// The kind of store that keeps items: their schema, the form of their attributes, and the source of their keys.
struct ItemKind: StoreKind {
    let source: any StoreKeySource
    var format = ItemStoreFormat.dataProtection
    var goesOnFromSnapshots = true

    var schema: RowSchema { format.schema }
    var properties: StoreProperties { source.properties }

    func open(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> any RowExaminer {
        ItemExaminer(store, try source.openStore(store, isEmpty: isEmpty), source, format.attributes)
    }
}

/// The kind of keychain that a store belongs to; the kinds differ in the file, and not in the operations on items.
package enum ItemStoreFormat: Sendable {
    /// The keychain of the device, with sealed attributes.
    case dataProtection
    /// A keychain file with a password of its own, with authenticated attributes in clear.
    case file

    var schema: RowSchema {
        switch self {
        case .dataProtection: StoreSchema.items
        case .file: StoreSchema.fileKeychain
        }
    }

    var attributes: AttributeSeal.Form {
        switch self {
        case .dataProtection: .sealed
        case .file: .authenticated
        }
    }
}

/// Tells whole items of one store from damaged ones, and holds the values that open and seal them.
struct ItemExaminer: RowExaminer {
    let store: StoreIdentifier
    let keys: StoreKeys
    let digests: StoreDigests
    let metadataKeys: MetadataKeys
    let sealer: RowSealer
    let source: any StoreKeySource
    let form: AttributeSeal.Form

    init(
        _ store: StoreIdentifier, _ keys: StoreKeys, _ source: any StoreKeySource, _ form: AttributeSeal.Form = .sealed
    ) {
        self.store = store
        self.keys = keys
        self.source = source
        self.form = form
        digests = StoreDigests(keys[.index])
        metadataKeys = MetadataKeys(source, of: store, form: form)
        sealer = RowSealer(store: store, digests: digests, source: source, metadataKeys: metadataKeys)
    }

    var secrets: StoreSecrets { StoreSecrets(keys) }

    /// Seals rows anew; nil for a file keychain, whose keys are never replaced.
    var resealer: (any RowResealer)? {
        guard case .sealed = form else { return nil }
        return ItemResealer(store: store, source: source, metadataKeys: metadataKeys, sealer: sealer)
    }

    func noteMark() throws(KeychainError) { try source.noteMark(of: store) }

    func kind(of row: WholeRow) -> String? { ItemClass(column: row.itemClass)?.name }

    func examine(_ rows: [WholeRow], withSecrets: Bool) throws(KeychainError) -> [RowVerdict] {
        let verifier = try verifier(of: rows)
        var opened: [OpenedRow] = []
        var places: [Int] = []
        var verdicts: [RowVerdict] = []
        verdicts.reserveCapacity(rows.count)
        for row in rows {
            switch verifier.examine(row) {
            case .whole(let whole, let indexed):
                opened.append(whole)
                places.append(verdicts.count)
                verdicts.append(.whole(indexed, secret: .unopened))
            case .missingKey: verdicts.append(.locked)
            case .damaged(let reason): verdicts.append(.damaged(reason))
            }
        }
        guard withSecrets else { return verdicts }
        let secrets = try examineSecrets(of: opened)
        for (place, secret) in zip(places, secrets) {
            if case .whole(let indexed, _) = verdicts[place] { verdicts[place] = .whole(indexed, secret: secret) }
        }
        return verdicts
    }

    /// Examines the secrets of whole rows.
    ///
    /// A private key, or a secret with constraints, cannot be opened here: only its wrapping can be checked.
    private func examineSecrets(of rows: [OpenedRow]) throws(KeychainError) -> [SecretVerdict] {
        let openable = rows.filter(\.context.opensHere)
        var verdicts: [SecretVerdict]
        do throws(KeychainError) {
            verdicts = try sealer.openSecrets(openable).map { opened in
                if case .damaged(let reason) = opened { .damaged(reason) } else { .whole }
            }
        } catch {
            guard error.cause == .locked else { throw error }
            verdicts = openable.map { _ in .locked }
        }
        guard openable.count < rows.count else { return verdicts }
        verdicts.reverse()
        return rows.map { row in
            guard !row.context.opensHere else { return verdicts.popLast() ?? .unopened }
            guard let secret = row.secret else { return .whole }
            let isPossible = row.context.keyCustody == nil || secret.sealed.count <= SealedSecret.mostKeyBytes
            return secret.isWrapped && isPossible ? .unopened : .damaged(.rowKey)
        }
    }

    /// Makes a verifier with the available keys of these rows.
    func verifier(of rows: [WholeRow]) throws(KeychainError) -> RowVerifier {
        let lost = try metadataKeys.fetch(Set(rows.compactMap { UInt32(exactly: $0.metadataKey) }))
        return RowVerifier(store: store, keys: metadataKeys.all, lostKeys: lost, digests: digests)
    }
}

extension StoreSecrets {
    /// Selects the keys of a store that its engine uses.
    init(_ keys: StoreKeys) {
        self.init(
            integrity: keys[.integrity], head: keys[.head], mark: keys[.mark], keybag: keys.keybag,
            keybagGeneration: keys.keybagGeneration, isMarked: keys.isMarked)
    }
}
