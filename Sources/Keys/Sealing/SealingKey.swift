import ChatelaineMemory
import ChatelaineModel
import Crypto

/// An AES-256-GCM key, ready for use.
package struct SealingKey: Sendable {
    private let key: SymmetricKey

    /// - Throws: `errSecDecode` unless the key has ``Sealing/keyByteCount`` bytes.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        guard bytes.count == Sealing.keyByteCount else {
            throw KeychainError(.decode, "a key has \(bytes.count) bytes instead of \(Sealing.keyByteCount)")
        }
        key = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    /// Seals `content`; returns nonce, ciphertext and tag.
    package func seal(_ content: UnsafeRawBufferPointer, for context: SealContext) throws(KeychainError) -> [UInt8] {
        do {
            let box = try context.withAssociatedData { try AES.GCM.seal(content, using: key, authenticating: $0) }
            // The combined form exists for every nonce of 12 bytes.
            guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return sealed.withUnsafeBytes { [UInt8]($0) }
        } catch {
            throw KeychainError(.internalComponent, "sealing \(content.count) bytes failed")
        }
    }

    package func seal(_ content: SecretBytes, for context: SealContext) throws(KeychainError) -> [UInt8] {
        let sealed: Result<[UInt8], KeychainError> = content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try seal(bytes, for: context) }
        }
        return try sealed.get()
    }

    /// The content of a seal; `errSecDecode` if this key did not seal it in exactly this context.
    package func open(_ sealed: UnsafeRawBufferPointer, for context: SealContext) throws(KeychainError) -> SecretBytes {
        try open(sealed, for: context, isPadded: false)
    }

    /// - Parameter isPadded: whether the content has padding, which is removed.
    func open(
        _ sealed: UnsafeRawBufferPointer, for context: SealContext, isPadded: Bool
    ) throws(KeychainError) -> SecretBytes {
        guard sealed.count >= Sealing.overhead else {
            throw KeychainError(.decode, "a seal is cut short to \(sealed.count) bytes")
        }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            var content = try context.withAssociatedData { try AES.GCM.open(box, using: key, authenticating: $0) }
            defer { content.withUnsafeMutableBytes { ChatelaineMemory.wipe($0) } }
            let opened = content.withUnsafeBytes { bytes in
                (isPadded ? Padding.content(of: bytes) : bytes).map { SecretBytes(copying: $0) }
            }
            if let opened { return opened }
        } catch {
            throw KeychainError(.decode, "a seal does not open with its key in its place")
        }
        throw KeychainError(.decode, "a seal holds no padding where there must be some")
    }
}
