import ChatelaineMemory
import ChatelaineModel

/// What the key custodian answers.
package enum EnclaveReply: Sendable {
    case done
    case store(StoreKeys)
    case metadataKey(MetadataKey)
    case newRowKeys([NewRowKey])
    /// One result per key asked for, in that order.
    case rowKeys([Result<SecretBytes, KeychainError>])
    case report(EnclaveReport)
    case failure(KeychainError)
    /// How the process is shut in.
    case sandbox([SandboxFact])
    /// What came of a passcode, and how it stands with it.
    case passcode(PasscodeReport)
    /// Whether records are those that were signed last.
    case isEndorsed(Bool)
    case evaluation(AccessEvaluation)
    /// How it stands with biometrics.
    case biometry(BiometryReport)
    /// What came of a biometric.
    case match(MatchReport)
    /// One result per key, in that order.
    case rewrappedRowKeys([RewrappedRowKey])
    /// A private key as its row is to hold it.
    case madeKey(MadeKey)
    /// What came of doing something with a private key.
    case keyResult(SecretBytes)
    /// What came of the password of a file keychain.
    case keychain(KeychainReport)
}
