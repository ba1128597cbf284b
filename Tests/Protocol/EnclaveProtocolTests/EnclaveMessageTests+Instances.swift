import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// A request of each kind, and a reply of each kind.
extension EnclaveMessageTests {
    static let store = StoreIdentifier()
    static let context = RowContext(
        store: store, row: ItemIdentifier(), version: 1 << 40, itemClass: .internetPassword,
        accessibility: .afterFirstUnlock, isSynchronizable: true, isTombstone: false,
        groupDigest: Bytes16(repeating: 9))
    static let key = SecretBytes([UInt8](repeating: 0xEE, count: 32))

    static let requests: [any EnclaveRequest] = [
        OpenStore(store, isEmpty: true), OpenStore(store, isEmpty: false), CloseStore(store), NoteMark(store),
        ReadMetadataKeyForSealing(.whenPasscodeSetThisDeviceOnly, in: store), ReadMetadataKey(id: .max, in: store),
        CreateRowKeys([], in: store), CreateRowKeys([context, context], in: store),
        OpenRowKeys(
            [
                WrappedRowKey(classKeyID: 3, wrapped: [1, 2, 3], context: context),
                WrappedRowKey(classKeyID: 4, wrapped: [], context: context),
            ], in: store),
        MakeSealedKey(.generated(.rsa, bits: 2048), at: privateKey, in: store),
        MakeSealedKey(.brought(.ec, key), at: privateKey, for: use, in: store),
        MakeSealedKey(.kept(sealedKey), at: privateKey, for: use, in: store),
        UseSealedKey(sealedKey, .export, in: store),
        UseSealedKey(sealedKey, .sign(algorithm: "a", [1]), for: use, in: store),
        UseSealedKey(sealedKey, .agree(algorithm: "b", with: [2], size: 32, info: []), for: use, in: store),
        MakeSealedKey(.generated(.aes, bits: 256), at: symmetricKey, in: store),
        UseSealedKey(sealedKey, .wrap(key), for: use, in: store), UseSealedKey(sealedKey, .unwrap([1, 2]), in: store),
        ReadCustodianReport(), OpenChannel(), ReadCustodianSandbox(),
        ReadPasscodeStatus(.agent, in: store), ReadPasscodeStatus(program, in: store), SetPasscode(store),
        ChangePasscode(.agent, in: store), ChangePasscode(program, in: store), RemovePasscode(program, in: store),
        UnlockStore(.agent, in: store), UnlockStore(program, in: store), LockStore(store),
        MakeNewKeys(.agent, in: store),
        DestroyKeys([], in: store), DestroyKeys([1, 70_000, .max], in: store),
        CreateRowKeys([constrained], for: use, in: store),
        OpenRowKeys([WrappedRowKey(classKeyID: 3, wrapped: [1], context: constrained)], for: use, in: store),
        RewrapRowKeys([], in: store),
        RewrapRowKeys([WrappedRowKey(classKeyID: 3, wrapped: [1], context: constrained)], in: store),
        EvaluateQuestion(question, in: store), ProveQuestion(question, .agent, in: store),
        ProveQuestion(question, program, in: store),
        EvaluateQuestion(AccessQuestion(use, constraints, groupDigest: nil), in: store),
        EvaluateContextPolicy(.deviceOwnerAuthentication, use.context, in: store),
        AllowReuse(use.context, seconds: 300, in: store),
        ProvePolicy(.deviceOwnerAuthentication, use.context, .agent, in: store),
        ProvePolicy(.deviceOwnerAuthentication, use.context, program, in: store),
        ProvePolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, program, in: store),
        ProvePasscode(use.context, .agent, in: store), ProvePasscode(use.context, program, in: store),
        ReadBiometry(store), MatchQuestion(question, in: store),
        MatchPolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, in: store),
        SetCredential(use.context, isPresent: true, in: store),
        SetCredential(use.context, isPresent: true, isTyped: true, in: store),
        SetCredential(use.context, isPresent: false, in: store), EndContext(.max),
        CreateKeychain(store), OpenKeychain(store), UnlockKeychain(header, .agent, in: store),
        UnlockKeychain(header, program, in: store), ChangeKeychainPassword(header, program, in: store),
        VerifyKeychainPassword(header, .agent, in: store),
        VerifyKeychainSecret(header, .agent, orPasscodeOf: StoreIdentifier(), in: store),
        VerifyPasscode(program, in: store), EndorseRecords(digest, .agent, in: store),
        CheckEndorsement(
            Endorsement(number: 3, signature: [UInt8](repeating: 6, count: Endorsement.signatureBytes)), of: digest,
            haveTrust: true, in: store),
    ]
    static let digest = [UInt8](repeating: 5, count: Endorsement.digestBytes)
    static var privateKey: RowContext {
        var row = context
        (row.itemClass, row.keyCustody) = (.key, .useOnly)
        return row
    }
    static var symmetricKey: RowContext {
        var row = context
        (row.itemClass, row.keyCustody) = (.key, .symmetric)
        return row
    }
    static let sealedKey = SealedKey(
        rowKey: WrappedRowKey(classKeyID: 3, wrapped: [1], context: privateKey), sealed: [5, 6])
    static let header = KeychainHeader(
        KeychainHeader.Terms(store: store, parameters: .most), check: [UInt8](repeating: 1, count: 32),
        wrappedKey: [UInt8](repeating: 2, count: 60))
    static let use = KeyUse(
        ContextReference(number: 1 << 50, principal: Bytes16(repeating: 5)), for: .decrypt)
    static let question = AccessQuestion(use, constraints, groupDigest: Bytes16(repeating: 6))
    static var constraints: AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [
            .decrypt: .atLeast(1, of: [.biometryCurrentSet(Bytes16(repeating: 4)), .devicePasscode])
        ]
        constraints.operations[.encrypt] = .always
        constraints.needsApplicationPassword = true
        return constraints
    }
    static var constrained: RowContext {
        var context = context
        context.constraints = constraints
        return context
    }
    static let program = PasscodeOrigin.program(Bytes16(repeating: 0x77))

    static let replies: [Result<any EnclaveReply, KeychainError>] = [
        .success(Done()),
        .success(
            StoreKeys(keybag: KeybagIdentifier()) { SecretBytes([UInt8](repeating: UInt8($0.rawValue), count: 32)) }),
        .success(MetadataKey(id: 7, key: key, sealsGranted: 65536)),
        .success([NewRowKey(classKeyID: 1, key: key, wrapped: [UInt8](repeating: 4, count: 60))]),
        .success(
            OpenedRowKeys([
                .success(key), .failure(KeychainError(cause: .unsealable, "unknown key id 5")), .success(key),
            ])),
        .success(OpenedRowKeys([])),
        .success(
            EnclaveReport(
                backend: "software", isUnlocked: true, hasPasscode: false, isDumpable: false, lockedBytes: 262_144,
                unlockedBytes: 0, classKeys: 6)),
        .failure(KeychainError(.notAvailable, "the disk is full")),
        .success([SandboxFact]()),
        .success([
            SandboxFact(name: "files", level: 1, detail: "version 7"),
            SandboxFact(name: "calls", level: 3, detail: ""),
        ]),
        .success(PasscodeReport()), .success(report), .success(KeychainReport()), .success(keychainReport),
        .success([
            NewRowKey(classKeyID: 1, key: key, wrapped: [UInt8](repeating: 4, count: 160), constraints: constraints)
        ]),
        .success(AccessEvaluation.satisfied), .success(AccessEvaluation.needs(Set(AccessFactor.allCases))),
        .success(AccessEvaluation.needs([.passcode])),
        .success(AccessEvaluation.impossible(.enrolmentChanged)), .success([RewrappedRowKey]()),
        .success(BiometryReport(.notAvailable)), .success(BiometryReport(.notEnrolled, kind: .fingerprint)),
        .success(BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 8))),
        .success(MatchReport(.matched)), .success(MatchReport(.notMatched, triesLeft: .max)),
        .success(
            [
                .key(classKeyID: 9, wrapped: [7, 7]), .failure(KeychainError(cause: .locked, "it is locked")),
            ] as [RewrappedRowKey]),
        .success(CheckEndorsement.Reply(isEndorsed: true)), .success(UseSealedKey.Reply(key)),
        .success(
            MadeKey(
                classKeyID: 3, wrapped: [1, 2], sealed: [5], constraints: constraints,
                content: KeyContent(kind: .aes, bits: 256, publicBytes: [], label: []))),
    ]

    static var report: PasscodeReport {
        var report = PasscodeReport()
        report.outcome = .delayed
        report.hasPasscode = true
        report.state = .beforeFirstUnlock
        report.supersededKeys = [1, 2, 300]
        report.failures = 7
        report.delay = 900_000
        (report.memory, report.passes, report.lanes) = (65_536, 3, 1)
        return report
    }

    static var keychainReport: KeychainReport {
        var report = KeychainReport()
        report.outcome = .wrong
        report.failures = .max
        report.delay = 3_600_000
        report.header = header
        return report
    }
}
