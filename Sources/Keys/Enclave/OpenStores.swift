import ChatelaineModel
import EnclaveProtocol

/// The open keybags and file keychains of a custodian.
///
/// No two have the same identifier.
struct OpenStores: Sendable {
    private(set) var keybags: [KeybagCustodian] = []
    private(set) var keychains: [StoreIdentifier: KeychainCustodian] = [:]
    var attempts = UnlockAttempts()

    func keybag(of store: StoreIdentifier) -> KeybagCustodian? { keybags.first { $0.store == store } }

    /// Throws if no further keybag may be opened, or not the one of this store.
    func checkKeybag(of store: StoreIdentifier) throws(KeychainError) {
        guard keychains[store] == nil, !attempts.isUnderWay(store) else {
            throw KeychainError(.param, "the store is a file keychain, which has no keybag")
        }
        guard keybags.count < EnclaveWire.maximumStores else {
            throw KeychainError(
                .notAvailable,
                "\(EnclaveWire.maximumStores) stores are open already; close one before another is opened")
        }
    }

    mutating func add(_ keybag: KeybagCustodian) throws(KeychainError) {
        try checkKeybag(of: keybag.store)
        keybags.append(keybag)
    }

    mutating func removeKeybag(of store: StoreIdentifier) { keybags.removeAll { $0.store == store } }

    // MARK: File keychains

    func checkIsNoKeybag(_ store: StoreIdentifier) throws(KeychainError) {
        guard keybag(of: store) == nil else {
            throw KeychainError(.param, "the store is one with a keybag, and no file keychain")
        }
    }

    /// Throws if no further keychain may be unlocked, or not this one.
    func checkKeychain(_ store: StoreIdentifier) throws(KeychainError) {
        try checkIsNoKeybag(store)
        guard keychains[store] != nil || keychains.count < EnclaveWire.maximumKeychains else {
            throw KeychainError(
                .notAvailable,
                "\(EnclaveWire.maximumKeychains) file keychains are unlocked already; lock one before another is unlocked"
            )
        }
    }

    /// Adds an unlocked keychain, unless it was locked since the attempt began.
    mutating func unlock(_ keychain: KeychainCustodian, _ attempt: UnlockAttempts.Attempt) throws(KeychainError) {
        try attempts.check(attempt)
        try checkKeychain(keychain.store)
        if let present = keychains[keychain.store] {
            guard present.isSame(as: keychain) else {
                throw KeychainError(
                    .invalidKeychain, "another keychain of the same identifier is unlocked; lock that one first")
            }
            return
        }
        keychains[keychain.store] = keychain
    }

    /// Removes a keychain, and makes unlocks in progress fail.
    ///
    /// Returns false if there was neither.
    mutating func lockKeychain(_ store: StoreIdentifier) -> Bool {
        attempts.noteLock(of: store)
        return keychains.removeValue(forKey: store) != nil || attempts.isUnderWay(store)
    }
}
