import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The messages between securityd and enclaved.
extension Seeds {
    static var enclaveMessages: [Seed] {
        let context = RowContext(
            store: StoreIdentifier(identifier.value), row: identifier, version: 300, itemClass: .key,
            accessibility: .afterFirstUnlock,
            isSynchronizable: true, isTombstone: false, groupDigest: Bytes16(repeating: 2))
        let key = SecretBytes([UInt8](repeating: 8, count: 32))
        let wrapped = [UInt8](repeating: 6, count: 60)
        let store = StoreIdentifier(identifier.value)
        let header = KeychainHeader(
            KeychainHeader.Terms(
                store: store, parameters: .least, salt: Bytes16(repeating: 4), indexSalt: Bytes16(repeating: 5)),
            check: [UInt8](repeating: 3, count: 32), wrappedKey: wrapped)
        var constraints = AccessConstraints()
        constraints.operations = [
            .decrypt: .atLeast(1, of: [.devicePasscode, .biometryCurrentSet(Bytes16(repeating: 7))]), .encrypt: .always,
        ]
        constraints.needsApplicationPassword = true
        var constrained = context
        constrained.constraints = constraints
        let use = KeyUse(ContextReference(number: 70000, principal: Bytes16(repeating: 3)), for: .decrypt)
        let question = AccessQuestion(use, constraints, groupDigest: Bytes16(repeating: 2))
        let requests: [(String, any EnclaveRequest)] = [
            ("open-store", OpenStore(store, isEmpty: true)), ("close-store", CloseStore(store)),
            ("note-mark", NoteMark(store)), ("sealing-key", ReadMetadataKeyForSealing(.always, in: store)),
            ("metadata-key", ReadMetadataKey(id: 70000, in: store)),
            ("create-keys", CreateRowKeys([context, context], in: store)),
            (
                "open-keys",
                OpenRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: context)], in: store)
            ),
            ("ask-report", ReadCustodianReport()), ("open-channel", OpenChannel()),
            ("ask-sandbox", ReadCustodianSandbox()),
            ("passcode-status", ReadPasscodeStatus(.program(identifier.value), in: store)),
            ("set-passcode", SetPasscode(store)), ("change-passcode", ChangePasscode(.agent, in: store)),
            ("remove-passcode", RemovePasscode(.agent, in: store)), ("unlock", UnlockStore(.agent, in: store)),
            ("lock", LockStore(store)), ("make-new-keys", MakeNewKeys(.agent, in: store)),
            ("destroy-keys", DestroyKeys([1, 300, 70000], in: store)),
            ("verify-passcode", VerifyPasscode(.agent, in: store)),
            ("endorse", EndorseRecords([UInt8](repeating: 5, count: Endorsement.digestBytes), .agent, in: store)),
            (
                "check-endorsement",
                CheckEndorsement(
                    Endorsement(number: 3, signature: [UInt8](repeating: 6, count: Endorsement.signatureBytes)),
                    of: [UInt8](repeating: 5, count: Endorsement.digestBytes), haveTrust: true, in: store)
            ),
            ("create-constrained", CreateRowKeys([constrained], for: use, in: store)),
            (
                "open-constrained",
                OpenRowKeys(
                    [WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], for: use, in: store)
            ),
            (
                "rewrap-keys",
                RewrapRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], in: store)
            ),
            ("evaluate", EvaluateQuestion(question, in: store)), ("prove", ProveQuestion(question, .agent, in: store)),
            (
                "prove-policy",
                ProvePolicy(.deviceOwnerAuthentication, use.context, .program(identifier.value), in: store)
            ),
            ("prove-passcode", ProvePasscode(use.context, .program(identifier.value), in: store)),
            ("evaluate-policy", EvaluateContextPolicy(.deviceOwnerAuthentication, use.context, in: store)),
            ("ask-biometry", ReadBiometry(store)), ("match", MatchQuestion(question, in: store)),
            ("match-policy", MatchPolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, in: store)),
            ("allow-reuse", AllowReuse(use.context, seconds: 10, in: store)),
            ("set-credential", SetCredential(use.context, isPresent: true, in: store)),
            ("end-context", EndContext(70000)),
            ("create-keychain", CreateKeychain(store)), ("open-keychain", OpenKeychain(store)),
            ("unlock-keychain", UnlockKeychain(header, .program(identifier.value), in: store)),
            ("change-keychain-password", ChangeKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-password", VerifyKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-secret", VerifyKeychainSecret(header, .agent, orPasscodeOf: store, in: store)),
        ]
        var keychain = KeychainReport()
        keychain.failures = 3
        keychain.header = header
        var passcode = PasscodeReport()
        passcode.outcome = .delayed
        passcode.supersededKeys = [1, 2, 400]
        passcode.delay = 900_000
        let replies: [(String, Result<any EnclaveReply, KeychainError>)] = [
            ("passcode", .success(passcode)), ("keychain", .success(keychain)),
            ("done", .success(Done())),
            ("store", .success(StoreKeys(keybag: KeybagIdentifier(identifier.value)) { _ in key })),
            ("key", .success(MetadataKey(id: 9, key: key, sealsGranted: 65536))),
            ("new-keys", .success([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped)])),
            ("row-keys", .success(OpenedRowKeys([.success(key), .failure(KeychainError(.decode, "not here"))]))),
            (
                "enclave-report",
                .success(
                    EnclaveReport(
                        backend: "software", isUnlocked: true, hasPasscode: false, isDumpable: false,
                        lockedBytes: 65536,
                        unlockedBytes: 0, classKeys: 12))
            ),
            ("failure", .failure(KeychainError(.notAvailable, "the disk is full"))),
            ("sandbox", .success([SandboxFact(name: "calls", level: 1, detail: "62")])),
            ("satisfied", .success(AccessEvaluation.satisfied)),
            ("needs", .success(AccessEvaluation.needs([.passcode, .applicationPassword]))),
            ("biometry", .success(BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 7)))),
            ("not-matched", .success(MatchReport(.notMatched, triesLeft: 4))),
            ("impossible", .success(AccessEvaluation.impossible(.noBiometry))),
            (
                "rewrapped",
                .success(
                    [.key(classKeyID: 9, wrapped: wrapped), .failure(KeychainError(.decode, "not here"))]
                        as [RewrappedRowKey])
            ),
            (
                "new-constrained",
                .success([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped, constraints: constrained.constraints)])
            ),
        ]
        var seeds = requests.map { name, request in
            seed(name, 2) { request.encode(id: 5, to: &$0) }
        }
        seeds += replies.map { name, reply in
            seed(name, 3) { EnclaveAnswer(id: 5, reply).encode(to: &$0) }
        }
        return seeds
    }
}
