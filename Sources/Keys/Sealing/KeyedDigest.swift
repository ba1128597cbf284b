import ChatelaineMemory
import ChatelaineModel
import Crypto

/// HMAC-SHA-256 under one key, for digests of attribute values and for the authentication of this project's own
/// records.
///
/// The state after the key is kept, which makes a digest about twice as fast as starting from the key.
package struct KeyedDigest: Sendable {
    /// The bytes of a whole digest.
    package static let byteCount = 32

    private let prepared: HMAC<SHA256>

    package init(_ key: SecretBytes) {
        prepared = key.withUnsafeBytes { HMAC<SHA256>(key: SymmetricKey(data: $0)) }
    }

    package func digest(_ content: UnsafeRawBufferPointer) -> [UInt8] { withDigest(of: content) { [UInt8]($0) } }

    /// Lends a digest to `body`.
    package func withDigest<Result>(
        of content: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var state = prepared
        state.update(data: content)
        return state.finalize().withUnsafeBytes(body)
    }

    /// Lends a digest of two parts, as if they were one.
    package func withDigest<Result>(
        of first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var state = prepared
        state.update(data: first)
        state.update(data: second)
        return state.finalize().withUnsafeBytes(body)
    }

    package func shortDigest(_ content: UnsafeRawBufferPointer) -> Bytes16 {
        withDigest(of: content) { bytes in
            // Never nil, because a digest is longer than 16 bytes.
            Bytes16(UnsafeRawBufferPointer(rebasing: bytes.prefix(Bytes16.count))) ?? Bytes16(repeating: 0)
        }
    }
}
