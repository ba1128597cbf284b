import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Whoever has the keys of one open store's rows: a keybag, or a file keychain.
protocol RowKeyCustodian: Sendable {
    var store: StoreIdentifier { get }
    /// Where constraints of rows are evaluated; `errSecParam` for a store whose rows have none.
    var constraintKeybag: KeybagCustodian { get throws(KeychainError) }
    /// Throws where rows are not bound to this device, on which keys of the enclave stay.
    func requireDevice() throws(KeychainError)

    func metadataKeyForSealing(_ accessibility: Accessibility) throws(KeychainError) -> MetadataKey
    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey

    /// Throws where no row of these classes can be stored; before anything is reserved or derived for one.
    func check(_ classes: some Sequence<Accessibility>) throws(KeychainError)
    /// What wraps the key of each row, in that order. It is on the count of seals then, where there is one.
    func wrappingKeys(for rows: [RowContext]) throws(KeychainError) -> [WrappingKey]
    /// What has wrapped the key of a row.
    ///
    /// - Parameter last: the one before, which nearly always is the same for the rows of one batch.
    func wrappingKey(
        _ id: UInt32, of row: RowContext, after last: WrappingKey?
    ) throws(KeychainError) -> WrappingKey
}

/// A key that wraps keys of rows, ready for use: it lives for one batch, since swift-crypto keeps its copies outside of locked memory, and wipes
/// them at its end.
struct WrappingKey: Sendable {
    let id: UInt32
    let key: SealingKey
}

extension KeybagCustodian: RowKeyCustodian {
    var constraintKeybag: KeybagCustodian { self }

    func requireDevice() {}

    func metadataKeyForSealing(_ accessibility: Accessibility) throws(KeychainError) -> MetadataKey {
        let (key, seals) = try metadataKey(accessibility)
        return MetadataKey(id: key.id, key: key.secret, sealsGranted: UInt32(clamping: seals))
    }

    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey {
        let key = try key(id, .metadataKey)
        return MetadataKey(id: key.id, key: key.secret, sealsGranted: 0)
    }

    func check(_ classes: some Sequence<Accessibility>) throws(KeychainError) {
        let device = device
        for accessibility in classes { try device.check(accessibility) }
    }

    func wrappingKeys(for rows: [RowContext]) throws(KeychainError) -> [WrappingKey] {
        var counts: [KeyPlace: Int] = [:]
        for row in rows { counts[row.keyPlace, default: 0] += 1 }
        var ready: [KeyPlace: WrappingKey] = [:]
        for (place, count) in counts {
            let key = try sealingKey(place, seals: count)
            ready[place] = WrappingKey(id: key.id, key: try SealingKey(key.secret))
        }
        return rows.compactMap { ready[$0.keyPlace] }
    }

    func wrappingKey(
        _ id: UInt32, of row: RowContext, after last: WrappingKey?
    ) throws(KeychainError) -> WrappingKey {
        // Each time: it may have been locked or destroyed since the last.
        let key = try key(id, row.keyPlace.kind)
        if let last, last.id == key.id { return last }
        return WrappingKey(id: key.id, key: try SealingKey(key.secret))
    }
}

extension RowContext {
    /// What wraps its row key.
    fileprivate var keyPlace: KeybagCustodian.KeyPlace {
        KeybagCustodian.KeyPlace(
            kind: privateKeyUse == .detached ? .detachedKey : .classKey, accessibility: accessibility)
    }
}
