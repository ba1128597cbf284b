import ChatelaineMemory
import ChatelaineModel

/// The single way in which this project seals bytes and digests attribute values.
///
/// A seal is AES-256-GCM with a random nonce: nonce (12), ciphertext, tag (16). Its associated data is the
/// deterministic CBOR of a ``SealContext``, so that no seal can pass for another one. The holder of a key counts its
/// seals, and replaces it long before random nonces could repeat (2^30 seals; NIST SP 800-38D, section 8.3, allows
/// 2^32).
///
/// The content of a row is padded first (``RowSeal``), so that lengths reveal less.
///
/// ``KeyedDigest`` is HMAC-SHA-256, cut to 16 bytes for look-ups.
package enum Sealing {
    /// The bytes that a seal adds to its content.
    package static let overhead = AuthenticatedCipher.nonceByteCount + AuthenticatedCipher.tagByteCount
    /// The bytes of an AES-256-GCM key.
    package static let keyByteCount = AuthenticatedCipher.keyByteCount
    /// The bytes of a key sealed under another key.
    package static let wrappedKeyByteCount = keyByteCount + overhead
}
