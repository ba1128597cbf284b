import ChatelaineModel

// A file keychain has no keybag: its password and the header in its file open it, and the custodian keeps nothing of it
// on disk. The custodian has its keys from `CreateKeychain` or `UnlockKeychain` until `CloseStore`, which locks it.
// Meanwhile requests about rows and metadata keys work as for any store. Constraints are refused (`errSecParam`). So
// are requests about passcodes, contexts and signatures.

/// Makes a new master key under a password, and leaves the keychain unlocked; ``KeychainReport/header``. `errSecParam`
/// where the store is open.
package struct CreateKeychain: EnclaveKeychainRequest, EnclaveBareRequest {
    package static let operation = EnclaveOperation.createKeychain

    package let store: StoreIdentifier
    package var origin: PasscodeOrigin { .agent }

    package init(_ store: StoreIdentifier) { self.store = store }
}

/// Gets the keys of an unlocked file keychain. The cause is `locked` where the keychain is locked.
package struct OpenKeychain: EnclaveBareRequest {
    package typealias Reply = StoreKeys

    package static let operation = EnclaveOperation.openKeychain

    package let store: StoreIdentifier

    package init(_ store: StoreIdentifier) { self.store = store }
}
