import ChatelaineModel
import Sealing

/// Makes a private or symmetric key for a row, or takes one over, under a row key that securityd never sees.
///
/// For a key that the row has already, the same constraints have to be satisfied as for a calculation with it. Statuses
/// as for ``CreateRowKeys``. `errSecParam` for what is no such key, and where the row's place does not allow a use of a
/// private key. `errSecNotAvailable` where the worker ended or took too long.
package struct MakeSealedKey: EnclaveStoreRequest {
    package typealias Reply = MadeKey

    package static let operation = EnclaveOperation.makeKey

    package let store: StoreIdentifier
    package let source: KeySource
    package let context: RowContext
    package let use: KeyUse?

    package init(_ source: KeySource, at context: RowContext, for use: KeyUse? = nil, in store: StoreIdentifier) {
        (self.store, self.source, self.context, self.use) = (store, source, context, use)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, source)
        writer.write(EnclaveField.use, use)
        writer.write(EnclaveField.context, context)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        source = try fields.read(EnclaveField.subject)
        use = try fields.readIfPresent(EnclaveField.use)
        context = try fields.read(EnclaveField.context)
    }
}
