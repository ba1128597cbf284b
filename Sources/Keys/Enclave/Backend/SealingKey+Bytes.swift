import ChatelaineMemory
import ChatelaineModel
import Sealing

extension SealingKey {
    /// Opens a seal that is in an array.
    func open(_ sealed: [UInt8], for context: SealContext) throws(KeychainError) -> SecretBytes {
        let content: Result<SecretBytes, KeychainError> = sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try open(bytes, for: context) }
        }
        return try content.get()
    }
}
