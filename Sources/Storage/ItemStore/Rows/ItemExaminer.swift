import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

/// Items as a kind of store: their schema, how their attributes are kept, and whoever keeps their keys.
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

/// Which of the two kinds of keychain a store is of; they differ in the file and not in what can be done with items.
package enum ItemStoreFormat: Sendable {
    /// Of the device: attributes are sealed.
    case dataProtection
    /// Of a file with a password of its own: attributes are in clear, and authenticated.
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

/// Tells whole items of one store from damaged ones, and has what opens and seals them.
struct ItemExaminer: RowExaminer {
    let store: StoreIdentifier
    let keys: StoreKeys
    let digests: StoreDigests
    let metadataKeys: MetadataKeys
    let sealer: RowSealer
    private let source: any StoreKeySource
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

    /// The keys of a file keychain stay for as long as it does.
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

    /// A secret that constraints stand before, and a private key, open for nobody here: that it is wrapped is all that can be said.
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
            return secret.isWrapped ? .unopened : .damaged(.rowKey)
        }
    }

    /// With the keys of these rows at hand, as far as they can be had.
    func verifier(of rows: [WholeRow]) throws(KeychainError) -> RowVerifier {
        let lost = try metadataKeys.fetch(Set(rows.compactMap { UInt32(exactly: $0.metadataKey) }))
        return RowVerifier(store: store, keys: metadataKeys.all, lostKeys: lost, digests: digests)
    }
}

extension StoreSecrets {
    /// Those of the keys of a store that its engine uses.
    init(_ keys: StoreKeys) {
        self.init(
            integrity: keys[.integrity], head: keys[.head], mark: keys[.mark], keybag: keys.keybag,
            keybagGeneration: keys.keybagGeneration, isMarked: keys.isMarked)
    }
}
