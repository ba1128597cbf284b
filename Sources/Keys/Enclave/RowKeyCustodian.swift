import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The keys of one open store's rows, from a keybag or a file keychain.
protocol RowKeyCustodian: Sendable {
    var store: StoreIdentifier { get }
    /// The keybag that evaluates constraints of rows; `errSecParam` for a store whose rows have none.
    var constraintKeybag: KeybagCustodian { get throws(KeychainError) }
    /// Throws if rows are not bound to this device, to which keys of the enclave belong.
    func requireDevice() throws(KeychainError)

    func metadataKeyForSealing(_ accessibility: Accessibility) throws(KeychainError) -> MetadataKey
    func metadataKey(id: UInt32) throws(KeychainError) -> MetadataKey

    /// Throws if no row of these classes can be stored.
    ///
    /// It is called before a seal is reserved or a key derived.
    func check(_ classes: some Sequence<Accessibility>) throws(KeychainError)
    /// The keys that wrap the row keys of `rows`, in their order.
    ///
    /// Their seals are counted if the store counts seals.
    func wrappingKeys(for rows: [RowContext]) throws(KeychainError) -> [WrappingKey]
    /// The key that wrapped the row key of a row.
    ///
    /// - Parameter last: the previous key, which is nearly always the same for the rows of one batch.
    func wrappingKey(
        _ id: UInt32, of row: RowContext, after last: WrappingKey?
    ) throws(KeychainError) -> WrappingKey
}

/// A key that wraps row keys, ready for use.
///
/// It lives for one batch, since the key may be locked or destroyed by the next one.
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
        // Looked up each time, because the key may have been locked or destroyed meanwhile.
        let key = try key(id, row.keyPlace.kind)
        if let last, last.id == key.id { return last }
        return WrappingKey(id: key.id, key: try SealingKey(key.secret))
    }
}

extension RowContext {
    /// The key that wraps its row key.
    fileprivate var keyPlace: KeybagCustodian.KeyPlace {
        KeybagCustodian.KeyPlace(
            kind: keyCustody == .detached ? .detachedKey : .classKey, accessibility: accessibility)
    }
}
