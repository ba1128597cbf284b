import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// A cryptographic key: in the memory of this process, in a keychain, or a key of the enclave that the program keeps.
///
/// A private key in a keychain or of the enclave is used there, not in this process. A key never changes, and any
/// thread may use it. Two keys are equal when they are the same key of the same class, wherever they are.
public final class SecKey: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 257

    /// The kind of an asymmetric key; nil for a symmetric key.
    package let kind: KeyKind?
    /// The public key in its external representation; both keys of a pair have the same.
    let publicBytes: [UInt8]
    /// The public key, for operations that need no secret.
    ///
    /// The bytes from the keychain may be no valid key: a program of the same access group has stored them.
    private let readable: PublicHalf
    /// The holder of the private key; nil for other keys.
    let privateKey: (any PrivateKeyHolder)?
    /// The holder of a symmetric key; nil for private and public keys.
    let symmetricKey: SymmetricKeyHolder?
    /// The key's item in the data protection keychain; nil for every other key.
    package let item: PersistentReference?
    /// The key's item in a file keychain; nil for every other key.
    package let keychainItem: KeychainItemHandle?

    /// - Parameter isExportable: whether the program gets the bytes of a private key.
    package init(_ key: CryptographicKey, isExportable: Bool = true) throws(KeychainError) {
        kind = key.kind
        publicBytes = try key.publicRepresentation()
        readable = PublicHalf(.success(key))
        privateKey = key.isPrivate ? KeyInMemory(key: key, isExportable: isExportable) : nil
        (symmetricKey, item, keychainItem) = (nil, nil, nil)
    }

    /// A symmetric key, in memory or in a keychain.
    init(_ key: SymmetricKeyHolder) {
        (kind, publicBytes, privateKey) = (nil, [], nil)
        readable = PublicHalf(
            .failure(KeychainError(.param, "a symmetric key is none of a pair: it wraps keys, and nothing else")))
        symmetricKey = key
        (item, keychainItem) = (key.item, key.keychainItem)
    }

    /// An object without a key, for calls that must deliver an object even on failure; every use throws `error`.
    init(failingBy error: KeychainError) {
        (kind, publicBytes, privateKey, symmetricKey, item, keychainItem) = (nil, [], nil, nil, nil, nil)
        readable = PublicHalf(.failure(error))
    }

    package convenience init(_ reference: SymmetricKeyReference) {
        self.init(.item(reference))
    }

    /// A key that a search found in a keychain.
    package init(_ reference: KeyReference) {
        let (kind, bytes) = (reference.key.kind, reference.key.publicBytes)
        self.kind = kind
        publicBytes = bytes
        readable = PublicHalf(kind, bytes)
        privateKey = reference.key.custody.flatMap { KeyInKeychain(reference, custody: $0) }
        symmetricKey = nil
        (item, keychainItem) = (reference.item, reference.keychainItem)
    }

    /// A detached key: a key of the enclave that this program keeps.
    init(_ detached: DetachedKeyReply, context: CallContext?) {
        let bytes = detached.publicBytes
        kind = .ec
        publicBytes = bytes
        readable = PublicHalf(.ec, bytes)
        privateKey = KeyInKeychain(place: .detached(detached.bytes), custody: .detached, context: context)
        (symmetricKey, item, keychainItem) = (nil, nil, nil)
    }

    /// The sealed bytes of a detached key, which the program keeps; nil for any other key.
    var detachedBytes: [UInt8]? {
        guard case .detached(let bytes)? = (privateKey as? KeyInKeychain)?.place else { return nil }
        return bytes
    }

    var isPrivate: Bool { privateKey != nil }
    /// Whether the key has an item in a keychain.
    var isItem: Bool { item != nil || keychainItem != nil }
    var isOfRSA: Bool { kind == .rsa }

    /// The public key, for operations that need no secret.
    ///
    /// - Throws: `errSecParam` where the bytes in the keychain are no such key, `errSecNotAvailable` without
    ///   libcrypto.
    func publicHalf() throws(KeychainError) -> CryptographicKey { try readable.key() }

    public override var hash: Int { publicBytes.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        if let symmetricKey { return symmetricKey == other.symmetricKey }
        return kind == other.kind && isPrivate == other.isPrivate && publicBytes == other.publicBytes
    }

    public override var description: String {
        if let symmetricKey { return "<SecKey: symmetric key, AES, \(symmetricKey.bits) bits>" }
        let name =
            switch kind {
            case nil: "none"
            case .rsa: "RSA"
            case .ec: "EC"
            case .ed25519: "Ed25519"
            case .x25519: "X25519"
            case .aes: "AES"
            }
        let size = (try? publicHalf()).map { ", \($0.bits) bits" } ?? ""
        return "<SecKey: \(isPrivate ? "private" : "public") key, \(name)\(size)>"
    }
}

extension SecKey: GivenKey {
    package func ownAttributes() throws(KeychainError) -> KeyAttributes {
        if let symmetricKey {
            return KeyAttributes(aesBits: symmetricKey.bits, isExtractable: !symmetricKey.isKeptInside)
        }
        let half = try publicHalf()
        let label = try publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
        return KeyAttributes(
            kind: half.kind, isPrivate: isPrivate, bits: half.bits, label: label,
            isExtractable: privateKey?.isExportable ?? true)
    }

    package func ownRepresentation() throws(KeychainError) -> SecretBytes {
        if let symmetricKey { return try symmetricKey.key().bytes }
        if let privateKey { return try privateKey.representation() }
        // A key whose making failed throws here.
        if kind == nil { _ = try publicHalf() }
        return SecretBytes(publicBytes)
    }
}

/// The type identifier of ``SecKey`` objects.
public func SecKeyGetTypeID() -> CFTypeID { SecKey.cfTypeID }
