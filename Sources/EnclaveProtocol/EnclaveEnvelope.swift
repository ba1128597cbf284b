import ChatelaineMemory
import ChatelaineModel

/// A request or reply on its way: the payload, and the number by which a reply finds its request.
///
/// Format: `Documentation/formats/enclave-protocol.md`.
public struct EnclaveEnvelope<Payload: Sendable>: Sendable {
    /// Chosen by whoever asks, unique among the requests it has in flight; the reply carries the same.
    public var id: UInt64
    public var payload: Payload

    public init(id: UInt64, payload: Payload) {
        self.id = id
        self.payload = payload
    }
}
