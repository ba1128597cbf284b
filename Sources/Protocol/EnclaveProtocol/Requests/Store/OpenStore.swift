import ChatelaineModel

/// Opens the keybag of a store, and gets the store's keys. The custodian makes a keybag only where `isEmpty` is true.
///
/// `errSecNotAvailable` where the keybag of a store with rows is missing, or as many stores are open as are allowed.
package struct OpenStore: EnclaveRequest {
    package typealias Reply = StoreKeys

    package static let operation = EnclaveOperation.openStore

    package let store: StoreIdentifier
    package let isEmpty: Bool

    package init(_ store: StoreIdentifier, isEmpty: Bool) { (self.store, self.isEmpty) = (store, isEmpty) }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, isEmpty)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        let store: StoreIdentifier = try fields.read(EnclaveField.store)
        self.init(store, isEmpty: try fields.read(EnclaveField.subject))
    }
}

/// Closes a store's keybag and wipes its keys; also done where the store is not open.
///
/// It locks a file keychain.
package struct CloseStore: EnclaveBareRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.closeStore
    package static let locks = true

    package let store: StoreIdentifier

    package init(_ store: StoreIdentifier) { self.store = store }
}

/// Records that the store has a mark and a sealed head record from now on, so that their absence is noticed.
///
/// The reply comes once the keybag with that record is on disk.
package struct NoteMark: EnclaveBareRequest {
    package typealias Reply = Done

    package static let operation = EnclaveOperation.noteMark

    package let store: StoreIdentifier

    package init(_ store: StoreIdentifier) { self.store = store }
}
