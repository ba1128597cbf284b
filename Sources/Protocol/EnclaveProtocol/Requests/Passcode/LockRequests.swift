import ChatelaineModel

/// Opens the keys of all classes. `errSecInteractionNotAllowed` where the store was locked meanwhile.
package struct UnlockStore: EnclavePasscodeRequest, EnclaveOriginRequest {
    package static let operation = EnclaveOperation.unlock

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}

/// Wipes the keys of all classes that are not open while locked; also done without a passcode.
package struct LockStore: EnclaveBareRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.lock
    package static let locks = true

    package let store: StoreIdentifier

    package init(_ store: StoreIdentifier) { self.store = store }
}

/// Makes new keys under the same passcode, and supersedes the former ones.
package struct MakeNewKeys: EnclavePasscodeRequest, EnclaveOriginRequest {
    package static let operation = EnclaveOperation.newKeys
    package static let changesKeys = true

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}

/// Destroys keys that no longer seal, with what is left under them; also done for keys that are destroyed already.
///
/// `errSecParam` for a key that still seals, or that wraps a key that stays.
package struct DestroyKeys: EnclaveStoreRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.destroyKeys

    package let store: StoreIdentifier
    package let ids: [UInt32]

    package init(_ ids: [UInt32], in store: StoreIdentifier) { (self.store, self.ids) = (store, ids) }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.writeArray(EnclaveField.subject, ids)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        ids = try fields.readArray(EnclaveField.subject, limit: EnclaveWire.maximumKeys)
    }
}
