import ChatelaineModel

/// Every kind of request with its number on the wire, in one table (`Documentation/formats/enclave-protocol.md`).
///
/// A number never changes meaning. 2 to 5 and 9 belonged to kinds that named no store. A new request takes a case here
/// and its type in ``request``. In the custodian the family that carries it out lists it among its routes.
package enum EnclaveOperation: UInt8, CBORValue, CaseIterable, Sendable {
    // Stores, and the custodian itself
    case openStore = 1
    case report = 6
    case openChannel = 7
    case sandbox = 8
    case noteMark = 14
    case closeStore = 15
    // Rows
    case metadataKeyForSealing = 10
    case metadataKey = 11
    case createRowKeys = 12
    case openRowKeys = 13
    case rewrapRowKeys = 29
    // The passcode
    case passcodeStatus = 16
    case setPasscode = 17
    case changePasscode = 18
    case removePasscode = 19
    case unlock = 20
    case lock = 21
    case newKeys = 22
    case destroyKeys = 23
    case verifyPasscode = 40
    case endorse = 41
    case checkEndorsement = 42
    // Authentication contexts
    case evaluate = 24
    case prove = 25
    case provePolicy = 26
    case setCredential = 27
    case endContext = 28
    case biometryReport = 30
    case match = 31
    case matchPolicy = 32
    case evaluatePolicy = 33
    case allowReuse = 34
    case provePasscode = 35
    // File keychains
    case createKeychain = 50
    case openKeychain = 51
    case unlockKeychain = 52
    case changeKeychainPassword = 53
    case verifyKeychainPassword = 54
    case verifyKeychainSecret = 55
    // Private keys
    case makeKey = 60
    case useKey = 61

    /// The type of the request that has this number.
    package var request: any EnclaveRequest.Type {
        switch self {
        case .openStore: OpenStore.self
        case .report: ReadCustodianReport.self
        case .openChannel: OpenChannel.self
        case .sandbox: ReadCustodianSandbox.self
        case .noteMark: NoteMark.self
        case .closeStore: CloseStore.self
        case .metadataKeyForSealing: ReadMetadataKeyForSealing.self
        case .metadataKey: ReadMetadataKey.self
        case .createRowKeys: CreateRowKeys.self
        case .openRowKeys: OpenRowKeys.self
        case .rewrapRowKeys: RewrapRowKeys.self
        case .passcodeStatus: ReadPasscodeStatus.self
        case .setPasscode: SetPasscode.self
        case .changePasscode: ChangePasscode.self
        case .removePasscode: RemovePasscode.self
        case .unlock: UnlockStore.self
        case .lock: LockStore.self
        case .newKeys: MakeNewKeys.self
        case .destroyKeys: DestroyKeys.self
        case .verifyPasscode: VerifyPasscode.self
        case .endorse: EndorseRecords.self
        case .checkEndorsement: CheckEndorsement.self
        case .evaluate: EvaluateQuestion.self
        case .prove: ProveQuestion.self
        case .provePolicy: ProvePolicy.self
        case .setCredential: SetCredential.self
        case .endContext: EndContext.self
        case .biometryReport: ReadBiometry.self
        case .match: MatchQuestion.self
        case .matchPolicy: MatchPolicy.self
        case .evaluatePolicy: EvaluateContextPolicy.self
        case .allowReuse: AllowReuse.self
        case .provePasscode: ProvePasscode.self
        case .createKeychain: CreateKeychain.self
        case .openKeychain: OpenKeychain.self
        case .unlockKeychain: UnlockKeychain.self
        case .changeKeychainPassword: ChangeKeychainPassword.self
        case .verifyKeychainPassword: VerifyKeychainPassword.self
        case .verifyKeychainSecret: VerifyKeychainSecret.self
        case .makeKey: MakeSealedKey.self
        case .useKey: UseSealedKey.self
        }
    }
}
