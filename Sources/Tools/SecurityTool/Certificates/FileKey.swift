import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel

/// A key of a file that is to be stored.
final class FileKey: GivenKey {
    var kind: KeyKind? { ownKind }
    let item: PersistentReference? = nil
    let keychainItem: KeychainItemHandle? = nil
    private let ownKind: KeyKind
    private let isPrivate: Bool
    private let bytes: SecretBytes
    /// In its external representation.
    let publicBytes: [UInt8]
    private let bits: Int

    /// - Throws: `errSecUnimplemented` for a symmetric key; `errSecParam` for one whose parts do not belong together.
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
            throw KeychainError(.unimplemented, "a file's symmetric key is not imported: a program stores its bytes")
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
