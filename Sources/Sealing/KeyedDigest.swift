import ChatelaineMemory
import ChatelaineModel
import Crypto

/// HMAC-SHA-256 under one key, for digests of attribute values and for authenticating records of our own.
///
/// The state after the key is kept, which makes a digest about twice as fast as starting from the key.
public struct KeyedDigest: Sendable {
    /// Length of a digest that something is looked up by (rulings, 28).
    public static let shortByteCount = 16
    /// Length of a whole digest.
    public static let byteCount = 32

    private let prepared: HMAC<SHA256>

    public init(_ key: SecretBytes) {
        prepared = key.withUnsafeBytes { HMAC<SHA256>(key: SymmetricKey(data: $0)) }
    }

    public func digest(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var state = prepared
        state.update(data: content)
        return Array(state.finalize())
    }

    public func shortDigest(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var state = prepared
        state.update(data: content)
        return Array(state.finalize().prefix(Self.shortByteCount))
    }
}
