import ChatelaineMemory
import ChatelaineModel

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
