import ChatelaineMemory
import ChatelaineModel

/// How the attributes of a row are stored: sealed, or in clear and authenticated.
///
/// The data protection keychain seals them. A file keychain shows them while it is locked, as Apple's does. Once it is
/// unlocked, the authentication code of each row proves that nobody changed its attributes. Formats:
/// `Documentation/formats/seals.md`.
package enum AttributeSeal: Sendable {
    /// The form that all rows of a store share.
    package enum Form: Sendable {
        case sealed
        case authenticated

        /// Prepares the key of a custodian; `errSecDecode` if its length is wrong.
        package func ready(_ key: SecretBytes) throws(KeychainError) -> AttributeSeal {
            switch self {
            case .sealed: return .sealed(try SealingKey(key))
            case .authenticated:
                guard key.count == Sealing.keyByteCount else {
                    throw KeychainError(.decode, "a key has \(key.count) bytes instead of \(Sealing.keyByteCount)")
                }
                return .authenticated(KeyedDigest(key))
            }
        }
    }

    case sealed(SealingKey)
    case authenticated(KeyedDigest)
    /// For a locked store: its rows can be read, but not verified.
    case unverified

    /// The stored form of the content, bound to its row.
    package func seal(
        _ content: SecretBytes, keyID: UInt32, at row: RowContext
    ) throws(KeychainError) -> [UInt8] {
        switch self {
        case .sealed(let key): return try key.seal(content, as: .metadata, keyID: keyID, at: row)
        case .authenticated(let digest):
            return content.withUnsafeBytes { content in
                Self.authentication(of: content, digest, keyID: keyID, at: row) + content
            }
        case .unverified:
            throw KeychainError(cause: .locked, "the keychain is locked; unlock it before it is changed")
        }
    }

    /// The content; `errSecDecode` if it was not stored under this key in exactly this place.
    package func open(
        _ stored: UnsafeRawBufferPointer, keyID: UInt32, at row: RowContext
    ) throws(KeychainError) -> SecretBytes {
        var content = SecretBuffer(capacity: stored.count)
        try open(stored, keyID: keyID, at: row, into: &content)
        return content.finish()
    }

    /// Appends the content to `buffer`; errors as in ``open(_:keyID:at:)``, after which nothing is appended.
    package func open(
        _ stored: UnsafeRawBufferPointer, keyID: UInt32, at row: RowContext, into buffer: inout SecretBuffer
    ) throws(KeychainError) {
        if case .sealed(let key) = self {
            return try key.open(stored, as: .metadata, keyID: keyID, at: row, into: &buffer)
        }
        guard stored.count >= KeyedDigest.byteCount else {
            throw KeychainError(.decode, "authenticated attributes are cut short to \(stored.count) bytes")
        }
        let content = UnsafeRawBufferPointer(rebasing: stored.dropFirst(KeyedDigest.byteCount))
        if case .authenticated(let digest) = self {
            let found = stored.prefix(KeyedDigest.byteCount)
            let expected = Self.authentication(of: content, digest, keyID: keyID, at: row)
            // Compares all bytes, so that the time does not reveal the first difference.
            guard zip(found, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
                throw KeychainError(.decode, "attributes were changed by somebody who has no key")
            }
        }
        buffer.append(content)
    }

    private static func authentication(
        of content: UnsafeRawBufferPointer, _ digest: KeyedDigest, keyID: UInt32, at row: RowContext
    ) -> [UInt8] {
        SealContext(.authenticatedAttributes, keyID: keyID, row: row).withAssociatedData { place in
            // The encoding of the place shows its own end, so no part of it can pass for content.
            digest.withDigest(of: place, content) { [UInt8]($0) }
        }
    }
}
