import ChatelaineModel
import Sealing

/// Makes row keys, wrapped for their rows.
///
/// Statuses as for ``ReadMetadataKeyForSealing``. The constraints of a row have to allow encryption, and it must be
/// possible to satisfy them; otherwise `errSecAuthFailed`.
package struct CreateRowKeys: EnclaveStoreRequest {
    package typealias Reply = [NewRowKey]

    package static let operation = EnclaveOperation.createRowKeys

    package let store: StoreIdentifier
    package let contexts: [RowContext]
    package let use: KeyUse?

    package init(_ contexts: [RowContext], for use: KeyUse? = nil, in store: StoreIdentifier) {
        (self.store, self.contexts, self.use) = (store, contexts, use)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.writeArray(EnclaveField.subject, contexts)
        writer.write(EnclaveField.use, use)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        contexts = try fields.readArray(EnclaveField.subject, limit: EnclaveWire.maximumBatch)
        use = try fields.readIfPresent(EnclaveField.use)
    }
}
