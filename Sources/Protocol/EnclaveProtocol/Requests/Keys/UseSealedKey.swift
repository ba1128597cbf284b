import ChatelaineMemory
import ChatelaineModel

/// Uses a private or symmetric key of a row, whose constraints have to be satisfied for the task.
///
/// `errSecUnimplemented` for the bytes of a key that is not exportable; other statuses as for ``MakeSealedKey``.
package struct UseSealedKey: EnclaveStoreRequest {
    package struct Reply: EnclaveReply {
        package static let kind = EnclaveReplyKind.keyResult

        package let bytes: SecretBytes

        package init(_ bytes: SecretBytes) { self.bytes = bytes }

        package func encodeFields(to writer: inout CBORWriter) { writer.write(EnclaveReplyField.values, bytes) }

        package init(fields: inout CBORMap) throws(CBORError) { bytes = try fields.read(EnclaveReplyField.values) }
    }

    package static let operation = EnclaveOperation.useKey

    package let store: StoreIdentifier
    package let key: SealedKey
    package let task: KeyTask
    package let use: KeyUse?

    package init(_ key: SealedKey, _ task: KeyTask, for use: KeyUse? = nil, in store: StoreIdentifier) {
        (self.store, self.key, self.task, self.use) = (store, key, task, use)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, key)
        writer.write(EnclaveField.use, use)
        writer.write(EnclaveField.task, task)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        key = try fields.read(EnclaveField.subject)
        use = try fields.readIfPresent(EnclaveField.use)
        task = try fields.read(EnclaveField.task)
    }
}
