import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import Testing

/// Tests of the messages between securityd and enclaved.
@Suite struct EnclaveMessageTests {
    @Test func passwordsOfKeychainsSurvive() throws {
        #expect(try Self.survived(Self.keychainReport) == Self.keychainReport)
        let unlock = try Self.survived(UnlockKeychain(Self.header, Self.program, in: Self.store))
        #expect(unlock.header == Self.header && unlock.origin == Self.program && unlock.store == Self.store)
        // A header that cannot be opened makes the message invalid.
        var bytes = Self.bytes(VerifyKeychainPassword(Self.header, .agent, in: Self.store))
        bytes[bytes.count - 1] ^= 1
        #expect(throws: CBORError.outOfRange) { try Self.request(bytes) }
        let isOfKeychain = Self.passcodes.filter { $0.place == .keychain }.map(\.count)
        #expect(isOfKeychain == [1, 1, 1, 2, 1, 1])
    }

    @Test func reportsOfPasscodesSurvive() throws {
        #expect(try Self.survived(Self.report) == Self.report)
        #expect(try Self.survived(UnlockStore(Self.program, in: Self.store)).origin == Self.program)
        var most = PasscodeReport()
        most.supersededKeys = [UInt32](repeating: .max, count: EnclaveWire.maximumKeys)
        #expect(Self.bytes(.success(most)).count < EnclaveWire.maximumFrameBytes)
        most.supersededKeys.append(1)
        #expect(throws: CBORError.limitExceeded) { try Self.reply(Self.bytes(.success(most))) }
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
        let credentials = Self.requests.compactMap { $0 as? SetCredential }
        #expect(credentials.map { $0.passcodes?.count ?? 0 } == [1, 1, 0])
    }

    @Test func evaluationsSurvive() throws {
        for evaluation in [
            AccessEvaluation.satisfied, .needs([.passcode, .applicationPassword]), .impossible(.noCompanion),
        ] {
            #expect(try Self.survived(evaluation) == evaluation)
        }
        // Factors are in ascending order, and no obstacle comes with them.
        let head: [UInt8] = [0x00, 0x0B, 0x01, 0x00, 0x02]
        #expect(throws: CBORError.unorderedKeys) { try Self.reply([0xA3] + head + [0x82, 0x02, 0x01]) }
        #expect(throws: CBORError.unorderedKeys) { try Self.reply([0xA3] + head + [0x82, 0x01, 0x01]) }
        #expect(throws: CBORError.unsupported) { try Self.reply([0xA4] + head + [0x81, 0x01, 0x03, 0x01]) }
        #expect(throws: CBORError.outOfRange) { try Self.reply([0xA3] + head + [0x81, 0x04]) }
    }

    private static func bytes(_ request: some EnclaveRequest) -> [UInt8] {
        var writer = CBORWriter()
        request.encode(id: 1 << 33, to: &writer)
        return writer.finishArray()
    }

    private static func bytes(_ result: Result<any EnclaveReply, KeychainError>) -> [UInt8] {
        var writer = CBORWriter()
        EnclaveAnswer(id: 1 << 33, result).encode(to: &writer)
        return writer.finishArray()
    }

    @discardableResult
    private static func request(_ bytes: [UInt8]) throws -> (id: UInt64, request: any EnclaveRequest) {
        try bytes.withUnsafeBytes { bytes in
            let reader = try EnclaveRequestReader(bytes)
            return (reader.id, try reader.readAny())
        }
    }

    @discardableResult
    private static func reply(_ bytes: [UInt8]) throws -> EnclaveAnswer {
        try bytes.withUnsafeBytes { try EnclaveAnswer(decoding: $0) }
    }

    /// A request after it was written and read.
    private static func survived<Request: EnclaveRequest>(_ request: Request) throws -> Request {
        try bytes(request).withUnsafeBytes { try EnclaveRequestReader($0).read() }
    }

    /// A reply after it was written and read.
    private static func survived<Reply: EnclaveReply>(_ reply: Reply) throws -> Reply {
        let result: Result<Reply, KeychainError>? = try bytes(.success(reply)).withUnsafeBytes {
            try EnclaveReplyReader($0).read()
        }
        return try #require(result).get()
    }

    private static var passcodes: [RequestPasscodes] {
        requests.compactMap { ($0 as? any EnclaveSecretRequest)?.passcodes }
    }

    /// The numbers are used on the wire and in `enclave-protocol.md`.
    @Test func numbersOfRequestsAndReplies() throws {
        let numbers: [ClosedRange<UInt8>] = [1...1, 6...8, 10...35, 40...42, 50...55, 60...61]
        #expect(EnclaveOperation.allCases.map(\.rawValue).sorted() == numbers.flatMap { Array($0) })
        let replies: [ClosedRange<UInt8>] = [1...1, 3...16, 20...21]
        #expect(EnclaveReplyKind.allCases.map(\.rawValue).sorted() == replies.flatMap { Array($0) })
        // Each number has its own type, and each type of reply has its own number.
        #expect(EnclaveOperation.allCases.allSatisfy { $0.request.operation == $0 })
        #expect(Set(Self.requests.map { type(of: $0).operation }) == Set(EnclaveOperation.allCases))
        let kinds = Self.replyTypes.map { $0.kind }
        #expect(Set(kinds).union([.failure]) == Set(EnclaveReplyKind.allCases))
        #expect(Set(kinds).count == Set(Self.replyTypes.map { ObjectIdentifier($0) }).count)
    }

    private static var replyTypes: [any EnclaveReply.Type] {
        func reply<Request: EnclaveRequest>(of _: Request.Type) -> any EnclaveReply.Type { Request.Reply.self }
        return EnclaveOperation.allCases.map { reply(of: $0.request) }
    }

    /// A failure answers any request, and a reply of another kind answers none.
    @Test func repliesBelongToTheirRequests() throws {
        let other = try Self.bytes(.success(Done())).withUnsafeBytes {
            try EnclaveReplyReader($0).read(PasscodeReport.self)
        }
        #expect(other == nil)
        try Self.bytes(.failure(KeychainError(cause: .locked, "x"))).withUnsafeBytes { bytes in
            guard case .failure(let error)? = try EnclaveReplyReader(bytes).read(OpenedRowKeys.self) else {
                Issue.record("a failure became a reply")
                return
            }
            #expect(error.cause == .locked)
        }
        let lock = Self.bytes(LockStore(Self.store))
        #expect(throws: CBORError.outOfRange) {
            try lock.withUnsafeBytes { try EnclaveRequestReader($0).read(CloseStore.self) }
        }
    }

    @Test func requestsRoundTrip() throws {
        for request in Self.requests {
            let encoded = Self.bytes(request)
            let decoded = try Self.request(encoded)
            #expect(decoded.id == 1 << 33)
            // The encoding is deterministic, so equal bytes mean equal values.
            #expect(Self.bytes(decoded.request) == encoded)
        }
    }

    @Test func repliesRoundTrip() throws {
        for reply in Self.replies {
            let encoded = Self.bytes(reply)
            let decoded = try Self.reply(encoded)
            #expect(decoded.id == 1 << 33)
            #expect(Self.bytes(decoded.result) == encoded)
        }
    }

    @Test func valuesSurvive() throws {
        let request = try Self.survived(CreateRowKeys([Self.context], in: Self.store))
        #expect(request.contexts == [Self.context] && request.use == nil && request.store == Self.store)
        let results = try #require(try Self.reply(Self.bytes(Self.replies[4])).result.get() as? OpenedRowKeys)
        #expect(Array(results) == [.success(Self.key), .failure(KeychainError(.decode, "")), .success(Self.key)])
        guard case .failure(let error) = results[1] else { return }
        #expect(error.reason == "unknown key id 5" && error.cause == .unsealable)
        // The cause is sent apart from the status, and only numbers of the table are accepted.
        let full = Self.bytes(.failure(KeychainError(cause: .full, "x")))
        guard case .failure(let failure) = try Self.reply(full).result else {
            Issue.record("another kind came back")
            return
        }
        #expect(failure.cause == .full && failure.status == .notAvailable)
        #expect(full.last == KeychainError.Cause.full.rawValue)
        #expect(throws: CBORError.outOfRange) { try Self.reply(full.dropLast() + [0]) }
    }

    @Test func cutAndExtendedMessagesAreRefused() {
        for encoded in Self.requests.map({ Self.bytes($0) }) {
            for length in 0..<encoded.count {
                #expect(throws: CBORError.self) { try Self.request(Array(encoded.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.request(encoded + [0]) }
        }
        for encoded in Self.replies.map({ Self.bytes($0) }) {
            for length in 0..<encoded.count {
                #expect(throws: CBORError.self) { try Self.reply(Array(encoded.prefix(length))) }
            }
            #expect(throws: CBORError.trailingBytes) { try Self.reply(encoded + [0]) }
        }
    }

    @Test func mutatedMessagesNeverCrash() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let sample = Self.requests[Int.random(in: 0..<Self.requests.count, using: &generator)]
            var request = Self.bytes(sample)
            var reply = Self.bytes(Self.replies[Int.random(in: 0..<Self.replies.count, using: &generator)])
            for _ in 0..<3 {
                request[Int.random(in: 0..<request.count, using: &generator)] = .random(in: 0...255, using: &generator)
                reply[Int.random(in: 0..<reply.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // A decoded message has exactly one form; other bytes are refused.
            if let decoded = try? Self.request(request) {
                var writer = CBORWriter()
                decoded.request.encode(id: decoded.id, to: &writer)
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
        let keys = [WrappedRowKey](repeating: key, count: EnclaveWire.maximumBatch)
        #expect(Self.bytes(RewrapRowKeys(keys, in: Self.store)).count < EnclaveWire.maximumFrameBytes)
        let new = NewRowKey(classKeyID: .max, key: Self.key, wrapped: key.wrapped, constraints: row.constraints)
        let reply = [NewRowKey](repeating: new, count: EnclaveWire.maximumBatch)
        #expect(Self.bytes(.success(reply)).count < EnclaveWire.maximumFrameBytes)
        let most = [RowContext](repeating: Self.context, count: EnclaveWire.maximumBatch)
        #expect(Self.bytes(CreateRowKeys(most, in: Self.store)).count < EnclaveWire.maximumFrameBytes)
        _ = try Self.request(Self.bytes(CreateRowKeys(most, in: Self.store)))
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(CreateRowKeys(most + [Self.context], in: Self.store)))
        }
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(OpenRowKeys(keys + [key], in: Self.store)))
        }
        #expect(throws: CBORError.limitExceeded) {
            try Self.request(Self.bytes(RewrapRowKeys(keys + [key], in: Self.store)))
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
        var short = Self.bytes(CreateRowKeys([Self.context], in: Self.store))
        short.removeLast()
        short[short.count - 16] = 0x40 | 15
        #expect(throws: CBORError.outOfRange) { try Self.request(short) }
        let cut = MetadataKey(id: 1, key: SecretBytes([UInt8](repeating: 1, count: 31)), sealsGranted: 1)
        #expect(throws: CBORError.outOfRange) { try Self.reply(Self.bytes(.success(cut))) }
        let success = KeychainError(.success, "no failure")
        #expect(throws: CBORError.outOfRange) { try Self.reply(Self.bytes(.failure(success))) }
    }

    @Test func longReasonsAreCut() throws {
        let long = KeychainError(.decode, String(repeating: "ä𝄞", count: 10_000))
        guard case .failure(let error) = try Self.reply(Self.bytes(.failure(long))).result else { return }
        #expect(error.reason.utf8.count <= EnclaveWire.maximumReasonBytes && error.reason.hasPrefix("ä𝄞ä"))
    }
}
