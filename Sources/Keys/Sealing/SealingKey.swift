import ChatelaineMemory
import ChatelaineModel

/// An AES-256-GCM key, ready for use.
package struct SealingKey: Sendable {
    private var cipher: AuthenticatedCipher

    /// - Throws: `errSecDecode` unless the key has ``Sealing/keyByteCount`` bytes.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        let key: Result<SealingKey, KeychainError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try SealingKey(copying: bytes) }
        }
        self = try key.get()
    }

    private init(copying bytes: UnsafeRawBufferPointer) throws(KeychainError) {
        try Self.check(bytes)
        guard let cipher = AuthenticatedCipher(key: bytes) else { throw Self.refused }
        self.cipher = cipher
    }

    /// Prepares a key in the place of another one, whose memory it takes over; returns it.
    ///
    /// So many keys that open one seal each need the memory of one.
    ///
    /// - Throws: as ``init(_:)``; the place is empty then.
    package static func prepare(
        _ bytes: UnsafeRawBufferPointer, in place: inout SealingKey?
    ) throws(KeychainError) -> SealingKey {
        let prepared: SealingKey
        if var key = place.take() {
            try check(bytes)
            guard key.cipher.change(to: bytes) else { throw refused }
            prepared = key
        } else {
            prepared = try SealingKey(copying: bytes)
        }
        place = prepared
        return prepared
    }

    private static func check(_ bytes: UnsafeRawBufferPointer) throws(KeychainError) {
        guard bytes.count == Sealing.keyByteCount else {
            throw KeychainError(.decode, "a key has \(bytes.count) bytes instead of \(Sealing.keyByteCount)")
        }
    }

    private static var refused: KeychainError {
        KeychainError(.internalComponent, "the cipher does not take a key of \(Sealing.keyByteCount) bytes")
    }

    /// Seals `content`; returns nonce, ciphertext and tag.
    package func seal(_ content: UnsafeRawBufferPointer, for context: SealContext) throws(KeychainError) -> [UInt8] {
        guard let sealed = context.withAssociatedData({ cipher.seal(content, authenticating: $0) }) else {
            throw KeychainError(.internalComponent, "sealing \(content.count) bytes failed")
        }
        return sealed
    }

    package func seal(_ content: SecretBytes, for context: SealContext) throws(KeychainError) -> [UInt8] {
        let sealed: Result<[UInt8], KeychainError> = content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try seal(bytes, for: context) }
        }
        return try sealed.get()
    }

    /// The content of a seal; `errSecDecode` if this key did not seal it in exactly this context.
    package func open(_ sealed: UnsafeRawBufferPointer, for context: SealContext) throws(KeychainError) -> SecretBytes {
        var content = SecretBuffer(capacity: max(0, sealed.count - Sealing.overhead))
        try open(sealed, for: context, into: &content)
        return content.finish()
    }

    /// Appends the content of a seal to `content`; errors as in ``open(_:for:)``, after which nothing is appended.
    package func open(
        _ sealed: UnsafeRawBufferPointer, for context: SealContext, into content: inout SecretBuffer
    ) throws(KeychainError) {
        guard sealed.count >= Sealing.overhead else {
            throw KeychainError(.decode, "a seal is cut short to \(sealed.count) bytes")
        }
        guard context.withAssociatedData({ cipher.open(sealed, authenticating: $0, into: &content) }) else {
            throw KeychainError(.decode, "a seal does not open with its key in its place")
        }
    }

    /// Appends the content of a seal whose content has padding, without it; errors as in ``open(_:for:into:)``.
    func openPadded(
        _ sealed: UnsafeRawBufferPointer, for context: SealContext, into content: inout SecretBuffer
    ) throws(KeychainError) {
        let start = content.count
        try open(sealed, for: context, into: &content)
        let padding = content.withUnsafeBytes { Padding.byteCount(in: UnsafeRawBufferPointer(rebasing: $0[start...])) }
        content.removeLast(padding ?? content.count - start)
        guard padding != nil else {
            throw KeychainError(.decode, "a seal holds no padding where there must be some")
        }
    }
}
