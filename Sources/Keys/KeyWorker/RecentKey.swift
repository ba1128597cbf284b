import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The private key of RSA or of a NIST curve that a worker used last, ready for the next use.
///
/// Before the first use of such a key, libcrypto computes numbers that cost more than the signature: for RSA those of
/// the key, for a curve those of the curve, anew for each key. Programs such as servers sign many times with one key.
/// Each request still brings the row key that opens the seal, and the kept key is used only if the opened content is
/// the same.
package struct RecentKey: ~Copyable {
    /// The milliseconds for which an unused key is kept: longer than between two signatures of a busy program.
    static let milliseconds: Int32 = 1000

    private var known: (content: SecretBytes, key: CryptographicKey)?

    package init() {}

    var isKept: Bool { known != nil }

    mutating func forget() { known = nil }

    /// The key under a seal.
    ///
    /// A different kept key is dropped before the new one is read.
    ///
    /// - Throws: the cause `unsealable` if `sealed` was not sealed for this place, or contains no key.
    mutating func key(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) -> WorkerKey {
        let former = known
        known = nil
        let content = try SealedKeyContent.bytes(opening: sealed, at: row, with: rowKey)
        if let former, former.content == content {
            known = former
            return .ofPair(former.key)
        }
        let key = try SealedKeyContent(of: content).key
        if case .ofPair(let key) = key, key.kind == .rsa || key.kind == .ec { known = (content, key) }
        return key
    }
}
