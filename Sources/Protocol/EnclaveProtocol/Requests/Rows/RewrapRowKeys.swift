import ChatelaineModel

/// Wraps row keys for the same rows with the class keys that seal now.
///
/// No key leaves the custodian, and its binding stays as it is. So no person has to be present.
package struct RewrapRowKeys: EnclaveStoreRequest {
    package typealias Reply = [RewrappedRowKey]

    package static let operation = EnclaveOperation.rewrapRowKeys

    package let store: StoreIdentifier
    package let keys: [WrappedRowKey]

    package init(_ keys: [WrappedRowKey], in store: StoreIdentifier) { (self.store, self.keys) = (store, keys) }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.writeArray(EnclaveField.subject, keys)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        keys = try fields.readArray(EnclaveField.subject, limit: EnclaveWire.maximumBatch)
    }
}
