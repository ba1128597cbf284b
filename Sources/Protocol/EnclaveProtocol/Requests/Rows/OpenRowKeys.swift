import ChatelaineModel

/// Unwraps row keys. Each key has a result of its own in the reply.
///
/// The constraints of a row have to be satisfied for decryption. The cause `needsPerson` says that they are not
/// satisfied yet. `errSecAuthFailed` says that they cannot be, or that the program's password is wrong.
package struct OpenRowKeys: EnclaveStoreRequest {
    package typealias Reply = OpenedRowKeys

    package static let operation = EnclaveOperation.openRowKeys

    package let store: StoreIdentifier
    package let keys: [WrappedRowKey]
    package let use: KeyUse?

    package init(_ keys: [WrappedRowKey], for use: KeyUse? = nil, in store: StoreIdentifier) {
        (self.store, self.keys, self.use) = (store, keys, use)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.writeArray(EnclaveField.subject, keys)
        writer.write(EnclaveField.use, use)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        keys = try fields.readArray(EnclaveField.subject, limit: EnclaveWire.maximumBatch)
        use = try fields.readIfPresent(EnclaveField.use)
    }
}
