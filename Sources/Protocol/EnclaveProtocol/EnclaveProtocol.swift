/// The messages between securityd and enclaved, the custodian of keys (`Documentation/formats/enclave-protocol.md`).
///
/// - ``EnclaveRequest`` and ``EnclaveReply``, each in an ``EnclaveEnvelope`` with the number that matches a reply to
///   its request.
/// - The values in them: keys of a store (``StoreKeys``), of attributes, of rows.
///
/// Only servers contain this code; `libSecurity.so` does not. No program that asks for an item ever holds one of these
/// keys.
package enum EnclaveProtocol {}

/// A request or reply with the number that matches a reply to its request.
///
/// Format: `Documentation/formats/enclave-protocol.md`.
package struct EnclaveEnvelope<Payload: Sendable>: Sendable {
    /// Chosen by the sender of the request, unique among its requests in flight; the reply has the same number.
    package var id: UInt64
    package var payload: Payload

    package init(id: UInt64, payload: Payload) {
        self.id = id
        self.payload = payload
    }
}
