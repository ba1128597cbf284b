import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The private key of RSA that a worker used last, ready to be used again.
///
/// libcrypto makes numbers of each such key at its first use that cost more than the signature. Programs sign many times by one key, as servers do.
/// A request brings what opens the seal all the same: here is what came out of it, and whoever cannot open it has nothing of this.
package struct RecentKey: ~Copyable {
    /// How long it is kept without being used: longer than from one signature of a busy program to the next.
    static let milliseconds: Int32 = 1000

    private var known: (content: SecretBytes, key: CryptographicKey)?

    package init() {}

    var isKept: Bool { known != nil }

    mutating func forget() { known = nil }

    /// The key under a seal. Another one is forgotten before this one is read.
    ///
    /// - Throws: the cause `unsealable` for what is not sealed for this place, and for what holds no key.
    mutating func key(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) -> CryptographicKey {
        let former = known
        known = nil
        let content = try SealedKeyContent.bytes(opening: sealed, at: row, with: rowKey)
        if let former, former.content == content {
            known = former
            return former.key
        }
        let key = try SealedKeyContent(of: content).key
        if key.kind == .rsa { known = (content, key) }
        return key
    }
}
