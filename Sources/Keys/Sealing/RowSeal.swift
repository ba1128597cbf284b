import ChatelaineMemory
import ChatelaineModel

/// The two seals of a row whose length could reveal something.
///
/// Since format 3 of the store their content is padded (``Padding``), under separate purposes. So neither kind can pass
/// for the other, and an older seal opens without padding until its row is written again.
package enum RowSeal: Sendable {
    case metadata
    case secret

    var padded: SealPurpose {
        switch self {
        case .metadata: .paddedMetadata
        case .secret: .paddedSecret
        }
    }

    var unpadded: SealPurpose {
        switch self {
        case .metadata: .metadata
        case .secret: .secret
        }
    }
}

extension SealingKey {
    /// Seals the padded content.
    package func seal(
        _ content: SecretBytes, as seal: RowSeal, keyID: UInt32, at row: RowContext
    ) throws(KeychainError) -> [UInt8] {
        try self.seal(Padding.padded(content), for: SealContext(seal.padded, keyID: keyID, row: row))
    }

    /// The content of a seal, padded or of format 2; `errSecDecode` as in ``open(_:for:)``.
    package func open(
        _ sealed: UnsafeRawBufferPointer, as seal: RowSeal, keyID: UInt32, at row: RowContext
    ) throws(KeychainError) -> SecretBytes {
        var content = SecretBuffer(capacity: max(0, sealed.count - Sealing.overhead))
        try open(sealed, as: seal, keyID: keyID, at: row, into: &content)
        return content.finish()
    }

    /// Appends that content to `content`; after an error nothing is appended.
    func open(
        _ sealed: UnsafeRawBufferPointer, as seal: RowSeal, keyID: UInt32, at row: RowContext,
        into content: inout SecretBuffer
    ) throws(KeychainError) {
        if Padding.mayEnd(at: sealed.count - Sealing.overhead) {
            // The length may fit by chance, so opening the seal decides which of the two it is.
            do throws(KeychainError) {
                return try openPadded(
                    sealed, for: SealContext(seal.padded, keyID: keyID, row: row), into: &content)
            } catch {
                guard error.cause == .unsealable else { throw error }
            }
        }
        try open(sealed, for: SealContext(seal.unpadded, keyID: keyID, row: row), into: &content)
    }
}
