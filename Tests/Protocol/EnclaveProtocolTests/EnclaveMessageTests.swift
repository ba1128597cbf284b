import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Testing

/// Tests of the messages between securityd and enclaved.
@Suite struct EnclaveMessageTests {
    private static let store = StoreIdentifier()
    private static let context = RowContext(
        store: store, row: ItemIdentifier(), version: 1 << 40, itemClass: .internetPassword,
        accessibility: .afterFirstUnlock, isSynchronizable: true, isTombstone: false,
        groupDigest: Bytes16(repeating: 9))
    private static let key = SecretBytes([UInt8](repeating: 0xEE, count: 32))

    private static let requests: [EnclaveRequest] = [
        .openStore(store, isEmpty: true), .openStore(store, isEmpty: false), .closeStore(store), .noteMark(store),
        .metadataKeyForSealing(.whenPasscodeSetThisDeviceOnly, in: store), .metadataKey(id: .max, in: store),
        .createRowKeys([], in: store), .createRowKeys([context, context], in: store),
        .openRowKeys(
            [
                WrappedRowKey(classKeyID: 3, wrapped: [1, 2, 3], context: context),
                WrappedRowKey(classKeyID: 4, wrapped: [], context: context),
            ], in: store),
        .makeKey(.generated(.rsa, bits: 2048), at: privateKey, in: store),
        .makeKey(.brought(.ec, key), at: privateKey, for: use, in: store),
        .makeKey(.kept(sealedKey), at: privateKey, for: use, in: store),
        .useKey(sealedKey, .export, in: store), .useKey(sealedKey, .sign(algorithm: "a", [1]), for: use, in: store),
        .useKey(sealedKey, .agree(algorithm: "b", with: [2], size: 32, info: []), for: use, in: store),
        .makeKey(.generated(.aes, bits: 256), at: symmetricKey, in: store),
        .useKey(sealedKey, .wrap(key), for: use, in: store), .useKey(sealedKey, .unwrap([1, 2]), in: store),
        .report, .openChannel, .sandbox,
        .passcodeStatus(.agent, in: store), .passcodeStatus(program, in: store), .setPasscode(in: store),
        .changePasscode(.agent, in: store), .changePasscode(program, in: store), .removePasscode(program, in: store),
        .unlock(.agent, in: store), .unlock(program, in: store), .lock(store), .newKeys(.agent, in: store),
        .destroyKeys([], in: store), .destroyKeys([1, 70_000, .max], in: store),
        .createRowKeys([constrained], for: use, in: store),
        .openRowKeys([WrappedRowKey(classKeyID: 3, wrapped: [1], context: constrained)], for: use, in: store),
        .rewrapRowKeys([], in: store),
        .rewrapRowKeys([WrappedRowKey(classKeyID: 3, wrapped: [1], context: constrained)], in: store),
        .evaluate(question, in: store), .prove(question, .agent, in: store), .prove(question, program, in: store),
        .evaluate(AccessQuestion(use, constraints, groupDigest: nil), in: store),
        .evaluatePolicy(.deviceOwnerAuthentication, use.context, in: store),
        .allowReuse(use.context, seconds: 300, in: store),
        .provePolicy(.deviceOwnerAuthentication, use.context, .agent, in: store),
        .provePolicy(.deviceOwnerAuthentication, use.context, program, in: store),
        .provePolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, program, in: store),
        .provePasscode(use.context, .agent, in: store), .provePasscode(use.context, program, in: store),
        .biometryReport(in: store), .match(question, in: store),
        .matchPolicy(.deviceOwnerAuthenticationWithBiometrics, use.context, in: store),
        .setCredential(use.context, isPresent: true, in: store),
        .setCredential(use.context, isPresent: true, isTyped: true, in: store),
        .setCredential(use.context, isPresent: false, in: store), .endContext(.max),
        .createKeychain(in: store), .openKeychain(store), .unlockKeychain(header, .agent, in: store),
        .unlockKeychain(header, program, in: store), .changeKeychainPassword(header, program, in: store),
        .verifyKeychainPassword(header, .agent, in: store),
        .verifyKeychainSecret(header, .agent, orPasscodeOf: StoreIdentifier(), in: store),
    ]
    private static var privateKey: RowContext {
        var row = context
        (row.itemClass, row.keyCustody) = (.key, .useOnly)
        return row
    }
    private static var symmetricKey: RowContext {
        var row = context
        (row.itemClass, row.keyCustody) = (.key, .symmetric)
        return row
    }
    private static let sealedKey = SealedKey(
        rowKey: WrappedRowKey(classKeyID: 3, wrapped: [1], context: privateKey), sealed: [5, 6])
    private static let header = KeychainHeader(
        KeychainHeader.Terms(store: store, parameters: .most), check: [UInt8](repeating: 1, count: 32),
        wrappedKey: [UInt8](repeating: 2, count: 60))
    private static let use = KeyUse(
        ContextReference(number: 1 << 50, principal: Bytes16(repeating: 5)), for: .decrypt)
    private static let question = AccessQuestion(use, constraints, groupDigest: Bytes16(repeating: 6))
    private static var constraints: AccessConstraints {
        var constraints = AccessConstraints()
        constraints.operations = [
            .decrypt: .atLeast(1, of: [.biometryCurrentSet(Bytes16(repeating: 4)), .devicePasscode])
        ]
        constraints.operations[.encrypt] = .always
        constraints.needsApplicationPassword = true
        return constraints
    }
    private static var constrained: RowContext {
        var context = context
        context.constraints = constraints
        return context
    }
    private static let program = PasscodeOrigin.program(Bytes16(repeating: 0x77))

    private static let replies: [EnclaveReply] = [
        .done,
        .store(
            StoreKeys(keybag: KeybagIdentifier()) { SecretBytes([UInt8](repeating: UInt8($0.rawValue), count: 32)) }),
        .metadataKey(MetadataKey(id: 7, key: key, sealsGranted: 65536)),
        .newRowKeys([NewRowKey(classKeyID: 1, key: key, wrapped: [UInt8](repeating: 4, count: 60))]),
        .rowKeys(
            OpenedRowKeys([
                .success(key), .failure(KeychainError(cause: .unsealable, "unknown key id 5")), .success(key),
            ])),
        .rowKeys(OpenedRowKeys([])),
        .report(
            EnclaveReport(
                backend: "software", isUnlocked: true, hasPasscode: false, isDumpable: false, lockedBytes: 262_144,
                unlockedBytes: 0, classKeys: 6)),
        .failure(KeychainError(.notAvailable, "the disk is full")),
        .sandbox([]),
        .sandbox([
            SandboxFact(name: "files", level: 1, detail: "version 7"),
            SandboxFact(name: "calls", level: 3, detail: ""),
        ]),
        .passcode(PasscodeReport()), .passcode(report), .keychain(KeychainReport()), .keychain(keychainReport),
        .newRowKeys([
            NewRowKey(classKeyID: 1, key: key, wrapped: [UInt8](repeating: 4, count: 160), constraints: constraints)
        ]),
        .evaluation(.satisfied), .evaluation(.needs(Set(AccessFactor.allCases))), .evaluation(.needs([.passcode])),
        .evaluation(.impossible(.enrolmentChanged)), .rewrappedRowKeys([]),
        .biometry(BiometryReport(.notAvailable)), .biometry(BiometryReport(.notEnrolled, kind: .fingerprint)),
        .biometry(BiometryReport(.ready, kind: .fingerprint, enrolledSet: Bytes16(repeating: 8))),
        .match(MatchReport(.matched)), .match(MatchReport(.notMatched, triesLeft: .max)),
        .rewrappedRowKeys([
            .key(classKeyID: 9, wrapped: [7, 7]), .failure(KeychainError(cause: .locked, "it is locked")),
        ]),
    ]

    private static var report: PasscodeReport {
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

    private static var keychainReport: KeychainReport {
        var report = KeychainReport()
        report.outcome = .wrong
        report.failures = .max
        report.delay = 3_600_000
        report.header = header
        return report
    }

    @Test func passwordsOfKeychainsSurvive() throws {
        guard case .keychain(let report) = try Self.reply(Self.bytes(.keychain(Self.keychainReport))).payload,
            case .unlockKeychain(let header, let origin, let store) = try Self.request(
                Self.bytes(.unlockKeychain(Self.header, Self.program, in: Self.store))
            ).payload
        else {
            Issue.record("another kind came back")
            return
        }
        #expect(report == Self.keychainReport && header == Self.header)
        #expect(origin == Self.program && store == Self.store)
        // A header that cannot be opened makes the message invalid.
        var bytes = Self.bytes(.verifyKeychainPassword(Self.header, .agent, in: Self.store))
        bytes[bytes.count - 1] ^= 1
        #expect(throws: CBORError.outOfRange) { try Self.request(bytes) }
        let isOfKeychain = Self.requests.compactMap(\.passcodes).filter { $0.place == .keychain }.map(\.count)
        #expect(isOfKeychain == [1, 1, 1, 2, 1, 1])
    }

    @Test func reportsOfPasscodesSurvive() throws {
        guard case .passcode(let report) = try Self.reply(Self.bytes(.passcode(Self.report))).payload else {
            Issue.record("another kind came back")
            return
        }
        #expect(report == Self.report)
        guard case .unlock(let origin, _) = try Self.request(Self.bytes(.unlock(Self.program, in: Self.store))).payload
        else { return }
        #expect(origin == Self.program)
        var most = PasscodeReport()
        most.supersededKeys = [UInt32](repeating: .max, count: EnclaveWire.maximumKeys)
        #expect(Self.bytes(.passcode(most)).count < EnclaveWire.maximumFrameBytes)
        most.supersededKeys.append(1)
        #expect(throws: CBORError.limitExceeded) { try Self.reply(Self.bytes(.passcode(most))) }
    }

    /// The numbers are used on the wire and in `enclave-protocol.md`.
    @Test func numbersOfStatesAndOutcomes() {
        #expect(LockState.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(PasscodeOutcome.allCases.map(\.rawValue) == [1, 2, 3])
    }

    @Test func numbersOfFactorsAndObstacles() {
        #expect(AccessFactor.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(AccessObstacle.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(AuthenticationPolicy.allCases.map(\.rawValue) == [1, 2])
        #expect(BiometryAvailability.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(BiometryKind.allCases.map(\.rawValue) == [1])
        #expect(MatchOutcome.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(AccessObstacle.allCases.allSatisfy { $0.error.status == .authFailed })
        let credentials = Self.requests.filter { if case .setCredential = $0 { true } else { false } }
        #expect(credentials.map(\.passcodeCount) == [1, 1, 0])
    }

    @Test func evaluationsSurvive() throws {
        for evaluation in [
            AccessEvaluation.satisfied, .needs([.passcode, .applicationPassword]), .impossible(.noCompanion),
        ] {
            guard case .evaluation(let read) = try Self.reply(Self.bytes(.evaluation(evaluation))).payload else {
                throw CBORError.outOfRange
            }
            #expect(read == evaluation)
        }
        // Factors are in ascending order, and no obstacle comes with them.
        let head: [UInt8] = [0x00, 0x0B, 0x01, 0x00, 0x02]
        #expect(throws: CBORError.unorderedKeys) { try Self.reply([0xA3] + head + [0x82, 0x02, 0x01]) }
        #expect(throws: CBORError.unorderedKeys) { try Self.reply([0xA3] + head + [0x82, 0x01, 0x01]) }
        #expect(throws: CBORError.unsupported) { try Self.reply([0xA4] + head + [0x81, 0x01, 0x03, 0x01]) }
        #expect(throws: CBORError.outOfRange) { try Self.reply([0xA3] + head + [0x81, 0x04]) }
    }

    private static func bytes(_ request: EnclaveRequest) -> [UInt8] {
        var writer = CBORWriter()
        EnclaveEnvelope(id: 1 << 33, payload: request).encode(to: &writer)
        return writer.finishArray()
    }

    private static func bytes(_ reply: EnclaveReply) -> [UInt8] {
        var writer = CBORWriter()
        EnclaveEnvelope(id: 1 << 33, payload: reply).encode(to: &writer)
        return writer.finishArray()
    }

    private static func request(_ bytes: [UInt8]) throws -> EnclaveEnvelope<EnclaveRequest> {
        try bytes.withUnsafeBytes { try EnclaveEnvelope<EnclaveRequest>(decoding: $0) }
    }

    private static func reply(_ bytes: [UInt8]) throws -> EnclaveEnvelope<EnclaveReply> {
        try bytes.withUnsafeBytes { try EnclaveEnvelope<EnclaveReply>(decoding: $0) }
    }

    @Test func requestsRoundTrip() throws {
        for request in Self.requests {
            let encoded = Self.bytes(request)
            let decoded = try Self.request(encoded)
            #expect(decoded.id == 1 << 33)
            // The encoding is deterministic, so equal bytes mean equal values.
            #expect(Self.bytes(decoded.payload) == encoded)
        }
    }

    @Test func repliesRoundTrip() throws {
        for reply in Self.replies {
            let encoded = Self.bytes(reply)
            let decoded = try Self.reply(encoded)
            #expect(decoded.id == 1 << 33)
            #expect(Self.bytes(decoded.payload) == encoded)
        }
    }

    @Test func valuesSurvive() throws {
        let request = try Self.request(Self.bytes(.createRowKeys([Self.context], in: Self.store))).payload
        guard case .createRowKeys(let contexts, nil, let store) = request else {
            Issue.record("another kind came back")
            return
        }
        #expect(contexts == [Self.context] && store == Self.store)
        guard case .rowKeys(let results) = try Self.reply(Self.bytes(Self.replies[4])).payload else {
            Issue.record("another kind came back")
            return
        }
        #expect(Array(results) == [.success(Self.key), .failure(KeychainError(.decode, "")), .success(Self.key)])
        guard case .failure(let error) = results[1] else { return }
        #expect(error.reason == "unknown key id 5" && error.cause == .unsealable)
        // The cause is sent apart from the status, and only numbers of the table are accepted.
        let full = Self.bytes(.failure(KeychainError(cause: .full, "x")))
        guard case .failure(let failure) = try Self.reply(full).payload else {
            Issue.record("another kind came back")
            return
        }
        #expect(failure.cause == .full && failure.status == .notAvailable)
        #expect(full.last == KeychainError.Cause.full.rawValue)
        #expect(throws: CBORError.outOfRange) { try Self.reply(full.dropLast() + [0]) }
    }

    @Test func cutAndExtendedMessagesAreRefused() {
        for encoded in Self.requests.map(Self.bytes) {
            for length in 0..<encoded.count {
                #expect(throws: CBORError.self) { try Self.request(Array(encoded.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.request(encoded + [0]) }
        }
        for encoded in Self.replies.map(Self.bytes) {
            for length in 0..<encoded.count {
                #expect(throws: CBORError.self) { try Self.reply(Array(encoded.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.reply(encoded + [0]) }
        }
    }

    @Test func mutatedMessagesNeverCrash() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var request = Self.bytes(Self.requests[Int.random(in: 0..<Self.requests.count, using: &generator)])
            var reply = Self.bytes(Self.replies[Int.random(in: 0..<Self.replies.count, using: &generator)])
            for _ in 0..<3 {
                request[Int.random(in: 0..<request.count, using: &generator)] = .random(in: 0...255, using: &generator)
                reply[Int.random(in: 0..<reply.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // A decoded message has exactly one form; other bytes are refused.
            if let decoded = try? Self.request(request) {
                var writer = CBORWriter()
                decoded.encode(to: &writer)
                #expect(writer.finishArray() == request)
            }
            if let decoded = try? Self.reply(reply) {
                var writer = CBORWriter()
                decoded.encode(to: &writer)
                #expect(writer.finishArray() == reply)
            }
        }
    }

    @Test func batchesAreBounded() throws {
        // The constraints have their largest size, with two digests of 16 bytes in each row.
        var row = Self.context
        row.constraints = AccessConstraints()
        let leaves = [AccessConstraint](
            repeating: .biometryCurrentSet(Bytes16(repeating: 4)), count: AccessConstraint.maximumCount)
        for operation in AccessConstraints.Operation.allCases {
            row.constraints?.operations[operation] = .atLeast(1, of: leaves)
        }
        row.constraints?.otherwise = .atLeast(1, of: leaves)
        let key = WrappedRowKey(classKeyID: .max, wrapped: [UInt8](repeating: 1, count: 256), context: row)
        let keys = [WrappedRowKey](repeating: key, count: EnclaveRequest.maximumBatch)
        #expect(Self.bytes(.rewrapRowKeys(keys, in: Self.store)).count < EnclaveWire.maximumFrameBytes)
        let new = NewRowKey(classKeyID: .max, key: Self.key, wrapped: key.wrapped, constraints: row.constraints)
        let reply = [NewRowKey](repeating: new, count: EnclaveRequest.maximumBatch)
        #expect(Self.bytes(.newRowKeys(reply)).count < EnclaveWire.maximumFrameBytes)
        let most = [RowContext](repeating: Self.context, count: EnclaveRequest.maximumBatch)
        #expect(Self.bytes(.createRowKeys(most, in: Self.store)).count < EnclaveWire.maximumFrameBytes)
        _ = try Self.request(Self.bytes(.createRowKeys(most, in: Self.store)))
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(.createRowKeys(most + [Self.context], in: Self.store)))
        }
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(.openRowKeys(keys + [key], in: Self.store)))
        }
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(.rewrapRowKeys(keys + [key], in: Self.store)))
        }
    }

    /// Key 2 with an identifier.
    private static let store16: [UInt8] = [0x02, 0x50] + [UInt8](repeating: 1, count: 16)

    @Test(arguments: [
        [0xA2, 0x00, 0x00, 0x01, 0x00],  // kind 0
        [0xA2, 0x00, 0x18, 0x21, 0x01, 0x00],  // kind 33
        [0xA3, 0x00, 0x18, 0x20, 0x01, 0x00] + Array(store16.dropFirst(0)),  // a match for no policy
        [0xA2, 0x00, 0x18, 0x1C, 0x01, 0x00],  // an end of no context
        [0xA4, 0x00, 0x18, 0x1B, 0x01, 0x00] + store16 + [0x03, 0xF5],  // a password of no context
        [0xA4, 0x00, 0x18, 0x18, 0x01, 0x00] + store16 + [0x03, 0xA0],  // a question about nothing
        [0xA2, 0x00, 0x14, 0x01, 0x00],  // an unlock of no store
        [0xA4, 0x00, 0x14, 0x01, 0x00] + store16 + [0x03, 0xF6],  // an unlock by null
        [0xA4, 0x00, 0x15, 0x01, 0x00] + store16 + [0x03, 0xF5],  // a lock with something more
        [0xA3, 0x00, 0x02, 0x01, 0x00, 0x02, 0x01],  // kind 2, which named no store
        [0xA2, 0x00, 0x09, 0x01, 0x00],  // kind 9, which named none either
        [0xA2, 0x01, 0x00, 0x00, 0x06],  // keys descend
        [0xA1, 0x00, 0x06],  // no id
        [0xA3, 0x00, 0x06, 0x01, 0x00, 0x02, 0x00],  // a pair too many
        [0xA4, 0x00, 0x0A, 0x01, 0x00] + store16 + [0x03, 0x08],  // accessibility 8
        [0xA4, 0x00, 0x0A, 0x01, 0x00] + store16 + [0x03, 0x00],  // accessibility 0
        [0xA4, 0x00, 0x0B, 0x01, 0x00] + store16 + [0x03, 0x1B, 0, 0, 0, 1, 0, 0, 0, 0],  // an id of 33 bits
        [0xA3, 0x00, 0x0F, 0x01, 0x00, 0x02, 0x4F] + [UInt8](repeating: 1, count: 15),  // a store of 15 bytes
        [0x86, 0x00, 0x06],  // an array
    ])
    func wrongRequestsAreRefused(bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try Self.request(bytes) }
    }

    @Test func wrongValuesAreRefused() {
        // The group's digest is the last field. One byte of it is removed, and its head says so.
        var short = Self.bytes(.createRowKeys([Self.context], in: Self.store))
        short.removeLast()
        short[short.count - 16] = 0x40 | 15
        #expect(throws: CBORError.outOfRange) { try Self.request(short) }
        let cut = MetadataKey(id: 1, key: SecretBytes([UInt8](repeating: 1, count: 31)), sealsGranted: 1)
        #expect(throws: CBORError.outOfRange) { try Self.reply(Self.bytes(.metadataKey(cut))) }
        let success = KeychainError(.success, "no failure")
        #expect(throws: CBORError.outOfRange) { try Self.reply(Self.bytes(.failure(success))) }
    }

    @Test func longReasonsAreCut() throws {
        let long = KeychainError(.decode, String(repeating: "ä𝄞", count: 10_000))
        guard case .failure(let error) = try Self.reply(Self.bytes(.failure(long))).payload else { return }
        #expect(error.reason.utf8.count <= EnclaveWire.maximumReasonBytes && error.reason.hasPrefix("ä𝄞ä"))
    }
}
