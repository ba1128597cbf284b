import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel

/// A private or public key from a file, to be stored.
final class KeyFromFile: GivenKey {
    var kind: KeyKind? { ownKind }
    let item: PersistentReference? = nil
    let keychainItem: KeychainItemHandle? = nil
    private let ownKind: KeyKind
    private let isPrivate: Bool
    private let bytes: SecretBytes
    /// The public key in its external representation.
    let publicBytes: [UInt8]
    private let bits: Int

    /// - Throws: `errSecParam` for a key whose parts do not match, and for content that is no private or public key.
    init(_ content: ExternalItem.Content) throws(KeychainError) {
        let key: CryptographicKey
        switch content {
        case .privateKey(let external, let secret):
            (ownKind, isPrivate, bytes) = (external, true, secret)
            let kind = ownKind
            key = try secret.withUnsafeBytes { bytes in
                Result { () throws(KeychainError) in
                    try CryptographicKey(kind, isPrivate: true, representation: bytes)
                }
            }.get()
        case .publicKey(let external, let data):
            (ownKind, isPrivate, bytes) = (external, false, SecretBytes(data))
            key = try CryptographicKey(ownKind, publicRepresentation: data)
        case .certificate, .sessionKey:
            throw KeychainError(.param, "a certificate or a symmetric key is no half of a pair")
        }
        publicBytes = try key.publicRepresentation()
        bits = key.bits
    }

    func ownAttributes() throws(KeychainError) -> KeyAttributes {
        let label = try publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
        return KeyAttributes(kind: ownKind, isPrivate: isPrivate, bits: bits, label: label, isExtractable: true)
    }

    func ownRepresentation() throws(KeychainError) -> SecretBytes { bytes }
}
