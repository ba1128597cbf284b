import ChatelaineModel

/// Gets the metadata key that seals now.
///
/// `errSecInteractionNotAllowed` where the class is locked, `errSecAuthFailed` for the passcode class without a
/// passcode.
package struct ReadMetadataKeyForSealing: EnclaveStoreRequest {
    package typealias Reply = MetadataKey

    package static let operation = EnclaveOperation.metadataKeyForSealing

    package let store: StoreIdentifier
    package let accessibility: Accessibility

    package init(_ accessibility: Accessibility, in store: StoreIdentifier) {
        (self.store, self.accessibility) = (store, accessibility)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, accessibility)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        accessibility = try fields.read(EnclaveField.subject)
    }
}

/// Gets the metadata key with an id, to open rows.
///
/// Statuses as for ``ReadMetadataKeyForSealing``, and `errSecDecode` for an id that the keybag does not know, which is
/// damage.
package struct ReadMetadataKey: EnclaveStoreRequest {
    package typealias Reply = MetadataKey

    package static let operation = EnclaveOperation.metadataKey

    package let store: StoreIdentifier
    package let id: UInt32

    package init(id: UInt32, in store: StoreIdentifier) { (self.store, self.id) = (store, id) }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, id)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        id = try fields.read(EnclaveField.subject)
    }
}
