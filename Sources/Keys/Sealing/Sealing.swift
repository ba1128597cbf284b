import ChatelaineMemory
import ChatelaineModel

/// The one way in which this project seals bytes and digests attribute values.
///
/// A seal is AES-256-GCM with a random nonce; its bytes are nonce (12), ciphertext, tag (16). Its associated data is
/// the deterministic CBOR of a ``SealContext``, so that nothing sealed can stand in for anything else. Keys are
/// counted by whoever holds them and rotate long before random nonces could repeat (2^30 seals; NIST SP 800-38D,
/// section 8.3, allows 2^32).
///
/// What a row holds is padded first (``RowSeal``), so that lengths tell less.
///
/// ``KeyedDigest`` is HMAC-SHA-256, cut to 16 bytes where it serves to look things up.
package enum Sealing {
    /// Bytes by which a seal is longer than its content.
    package static let overhead = 12 + 16
    /// A key of AES-256-GCM.
    package static let keyByteCount = 32
    /// A key that another one has sealed.
    package static let wrappedKeyByteCount = keyByteCount + overhead
}
