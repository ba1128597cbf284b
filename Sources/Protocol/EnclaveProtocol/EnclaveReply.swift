import ChatelaineMemory
import ChatelaineModel

/// A reply of the key custodian.
package enum EnclaveReply: Sendable {
    case done
    case store(StoreKeys)
    case metadataKey(MetadataKey)
    case newRowKeys([NewRowKey])
    case rowKeys(OpenedRowKeys)
    case report(EnclaveReport)
    case failure(KeychainError)
    /// The measures of the custodian's sandbox.
    case sandbox([SandboxFact])
    /// The outcome of a passcode, and the state of the passcode.
    case passcode(PasscodeReport)
    /// Whether records are those that were signed last.
    case isEndorsed(Bool)
    case evaluation(AccessEvaluation)
    /// The state of biometrics.
    case biometry(BiometryReport)
    /// The outcome of a biometric.
    case match(MatchReport)
    /// One result for each key in the request, in the same order.
    case rewrappedRowKeys([RewrappedRowKey])
    /// A private key in the form that its row stores.
    case madeKey(MadeKey)
    /// The result of a use of a private key.
    case keyResult(SecretBytes)
    /// The outcome of a password of a file keychain.
    case keychain(KeychainReport)
}
