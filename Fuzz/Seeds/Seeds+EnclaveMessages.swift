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
        let requests: [(String, EnclaveRequest)] = [
            ("open-store", .openStore(store, isEmpty: true)), ("close-store", .closeStore(store)),
            ("note-mark", .noteMark(store)), ("sealing-key", .metadataKeyForSealing(.always, in: store)),
            ("metadata-key", .metadataKey(id: 70000, in: store)),
            ("create-keys", .createRowKeys([context, context], in: store)),
            (
                "open-keys",
                .openRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: context)], in: store)
            ),
            ("ask-report", .report), ("open-channel", .openChannel), ("ask-sandbox", .sandbox),
            ("passcode-status", .passcodeStatus(.program(identifier.value), in: store)),
            ("set-passcode", .setPasscode(in: store)), ("change-passcode", .changePasscode(.agent, in: store)),
            ("remove-passcode", .removePasscode(.agent, in: store)), ("unlock", .unlock(.agent, in: store)),
            ("lock", .lock(store)), ("make-new-keys", .newKeys(.agent, in: store)),
            ("destroy-keys", .destroyKeys([1, 300, 70000], in: store)),
            ("verify-passcode", .verifyPasscode(.agent, in: store)),
            ("endorse", .endorse([UInt8](repeating: 5, count: Endorsement.digestBytes), .agent, in: store)),
            (
                "check-endorsement",
                .checkEndorsement(
                    Endorsement(number: 3, signature: [UInt8](repeating: 6, count: Endorsement.signatureBytes)),
                    of: [UInt8](repeating: 5, count: Endorsement.digestBytes), haveTrust: true, in: store)
            ),
            ("create-constrained", .createRowKeys([constrained], for: use, in: store)),
            (
                "open-constrained",
                .openRowKeys(
                    [WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], for: use, in: store)
            ),
            (
                "rewrap-keys",
                .rewrapRowKeys([WrappedRowKey(classKeyID: 3, wrapped: wrapped, context: constrained)], in: store)
            ),
            ("evaluate", .evaluate(question, in: store)), ("prove", .prove(question, .agent, in: store)),
            (
                "prove-policy",
                .provePolicy(.deviceOwnerAuthentication, use.context, .program(identifier.value), in: store)
            ),
            ("prove-passcode", .provePasscode(use.context, .program(identifier.value), in: store)),
            ("evaluate-policy", .evaluatePolicy(.deviceOwnerAuthentication, use.context, in: store)),
            ("ask-biometry", .biometryReport(in: store)), ("match", .match(question, in: store)),
            ("match-policy", .matchPolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, in: store)),
            ("allow-reuse", .allowReuse(use.context, seconds: 10, in: store)),
            ("set-credential", .setCredential(use.context, isPresent: true, in: store)),
            ("end-context", .endContext(70000)),
            ("create-keychain", .createKeychain(in: store)), ("open-keychain", .openKeychain(store)),
            ("unlock-keychain", .unlockKeychain(header, .program(identifier.value), in: store)),
            ("change-keychain-password", .changeKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-password", .verifyKeychainPassword(header, .agent, in: store)),
            ("verify-keychain-secret", .verifyKeychainSecret(header, .agent, orPasscodeOf: store, in: store)),
        ]
        var keychain = KeychainReport()
        keychain.failures = 3
        keychain.header = header
        var passcode = PasscodeReport()
        passcode.outcome = .delayed
        passcode.supersededKeys = [1, 2, 400]
        passcode.delay = 900_000
        let replies: [(String, EnclaveReply)] = [
            ("passcode", .passcode(passcode)), ("keychain", .keychain(keychain)),
            ("done", .done), ("store", .store(StoreKeys(keybag: KeybagIdentifier(identifier.value)) { _ in key })),
            ("key", .metadataKey(MetadataKey(id: 9, key: key, sealsGranted: 65536))),
            ("new-keys", .newRowKeys([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped)])),
            ("row-keys", .rowKeys(OpenedRowKeys([.success(key), .failure(KeychainError(.decode, "not here"))]))),
            (
                "enclave-report",
                .report(
                    EnclaveReport(
                        backend: "software", isUnlocked: true, hasPasscode: false, isDumpable: false,
                        lockedBytes: 65536,
                        unlockedBytes: 0, classKeys: 12))
            ),
            ("failure", .failure(KeychainError(.notAvailable, "the disk is full"))),
            ("sandbox", .sandbox([SandboxFact(name: "calls", level: 1, detail: "62")])),
            ("satisfied", .evaluation(.satisfied)), ("needs", .evaluation(.needs([.passcode, .applicationPassword]))),
            ("biometry", .biometry(BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 7)))),
            ("not-matched", .match(MatchReport(.notMatched, triesLeft: 4))),
            ("impossible", .evaluation(.impossible(.noBiometry))),
            (
                "rewrapped",
                .rewrappedRowKeys([.key(classKeyID: 9, wrapped: wrapped), .failure(KeychainError(.decode, "not here"))])
            ),
            (
                "new-constrained",
                .newRowKeys([NewRowKey(classKeyID: 1, key: key, wrapped: wrapped, constraints: constrained.constraints)]
                )
            ),
        ]
        var seeds = requests.map { name, request in
            seed(name, 2) { EnclaveEnvelope(id: 5, payload: request).encode(to: &$0) }
        }
        seeds += replies.map { name, reply in
            seed(name, 3) { EnclaveEnvelope(id: 5, payload: reply).encode(to: &$0) }
        }
        return seeds
    }
}
