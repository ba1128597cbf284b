import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// A cryptographic key, private or public: in the memory of this process, or a private one in the keychain, which is used there.
///
/// It never changes, and any thread may use it. Two are equal when they are the same key of the same class, wherever they are.
public final class SecKey: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 257

    package let kind: KeyKind
    /// The public key in its external representation, which both keys of a pair have in common.
    let publicBytes: [UInt8]
    /// The public key, for which no secret is needed. What the keychain says of a key may be no key: a program of the same access group has stored it.
    private let readable: Result<CryptographicKey, KeychainError>
    /// Whoever has the private key; nil of a public one.
    let privateKey: (any PrivateKeyHolder)?
    /// Its item in the data protection keychain; nil of every other key.
    package let item: PersistentReference?
    /// Its item in a file keychain; nil of every other key.
    package let keychainItem: KeychainItemHandle?

    package init(_ key: CryptographicKey) throws(KeychainError) {
        kind = key.kind
        publicBytes = try key.publicRepresentation()
        readable = .success(key)
        privateKey = key.isPrivate ? KeyInMemory(key: key) : nil
        (item, keychainItem) = (nil, nil)
    }

    /// A key that was found in the keychain.
    package init(_ reference: KeyReference) {
        let (kind, bytes) = (reference.key.kind, reference.key.publicBytes)
        self.kind = kind
        publicBytes = bytes
        readable = Result { () throws(KeychainError) in try CryptographicKey(kind, publicRepresentation: bytes) }
        privateKey = reference.key.use.flatMap {
            KeyInKeychain(reference, use: $0)
        }
        (item, keychainItem) = (reference.item, reference.keychainItem)
    }

    var isPrivate: Bool { privateKey != nil }
    /// Whether it is in a keychain.
    var isItem: Bool { item != nil || keychainItem != nil }
    var isOfRSA: Bool { kind == .rsa }

    /// For whatever takes no secret.
    ///
    /// - Throws: `errSecParam` where the keychain holds no such key, `errSecNotAvailable` without libcrypto.
    func publicHalf() throws(KeychainError) -> CryptographicKey { try readable.get() }

    public override var hash: Int { publicBytes.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        return kind == other.kind && isPrivate == other.isPrivate && publicBytes == other.publicBytes
    }

    public override var description: String {
        let name =
            switch kind {
            case .rsa: "RSA"
            case .ec: "EC"
            case .ed25519: "Ed25519"
            case .x25519: "X25519"
            }
        let size = (try? publicHalf()).map { ", \($0.bits) bits" } ?? ""
        return "<SecKey: \(isPrivate ? "private" : "public") key, \(name)\(size)>"
    }
}

extension SecKey: GivenKey {
    package func ownAttributes() throws(KeychainError) -> KeyAttributes {
        let label = try publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
        return KeyAttributes(
            kind: kind, isPrivate: isPrivate, bits: try publicHalf().bits, label: label,
            isExtractable: privateKey?.isExportable ?? true)
    }

    package func ownRepresentation() throws(KeychainError) -> SecretBytes {
        try privateKey?.representation() ?? SecretBytes(publicBytes)
    }
}

/// The type identifier of ``SecKey`` objects.
public func SecKeyGetTypeID() -> CFTypeID { SecKey.cfTypeID }
