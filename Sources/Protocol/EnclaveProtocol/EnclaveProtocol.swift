/// What securityd and enclaved, the custodian of keys, say to each other (`Documentation/formats/enclave-protocol.md`).
///
/// - ``EnclaveRequest`` and ``EnclaveReply``, each in an ``EnclaveEnvelope`` with the number by which a reply finds its request.
/// - The values in them: keys of a store (``StoreKeys``), of attributes, of rows.
///
/// Only the servers' side has it: no program that asks for an item ever holds one of these keys, and `libSecurity.so` has
/// none of this code.
package enum EnclaveProtocol {}

/// A request or reply on its way: the payload, and the number by which a reply finds its request.
///
/// Format: `Documentation/formats/enclave-protocol.md`.
package struct EnclaveEnvelope<Payload: Sendable>: Sendable {
    /// Chosen by whoever asks, unique among the requests it has in flight; the reply carries the same.
    package var id: UInt64
    package var payload: Payload

    package init(id: UInt64, payload: Payload) {
        self.id = id
        self.payload = payload
    }
}
