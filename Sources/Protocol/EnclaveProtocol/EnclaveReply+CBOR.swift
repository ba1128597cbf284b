import ChatelaineMemory
import ChatelaineModel

extension EnclaveReply {
    /// The numbers of the kinds on the wire, which never change meaning.
    enum Kind: UInt8, CBORValue {
        case done = 1
        case metadataKey = 3
        case newRowKeys = 4
        case rowKeys = 5
        case report = 6
        case failure = 7
        case sandbox = 8
        case store = 9
        case passcode = 10
        case isEndorsed = 20
        case keychain = 21
        case evaluation = 11
        case rewrappedRowKeys = 12
        case biometry = 13
        case match = 14
        case madeKey = 15
        case keyResult = 16
    }

    var kind: Kind {
        switch self {
        case .done: .done
        case .store: .store
        case .metadataKey: .metadataKey
        case .newRowKeys: .newRowKeys
        case .rowKeys: .rowKeys
        case .report: .report
        case .failure: .failure
        case .sandbox: .sandbox
        case .passcode: .passcode
        case .isEndorsed: .isEndorsed
        case .evaluation: .evaluation
        case .rewrappedRowKeys: .rewrappedRowKeys
        case .biometry: .biometry
        case .match: .match
        case .keychain: .keychain
        case .madeKey: .madeKey
        case .keyResult: .keyResult
        }
    }
}

/// The fields of every reply, and of replies that are an array. Other replies define their fields from 2 on themselves.
private enum Field: UInt64, CBORField {
    case kind = 0
    case id = 1
    case values = 2
}

extension EnclaveEnvelope where Payload == EnclaveReply {
    /// Writes the reply as one CBOR map.
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, payload.kind)
            $0.write(Field.id, id)
            switch payload {
            case .done: break
            case .store(let keys): keys.encodeFields(to: &$0)
            case .metadataKey(let key): key.encodeFields(to: &$0)
            case .newRowKeys(let keys): $0.writeArray(Field.values, keys)
            case .rowKeys(let keys): $0.write(Field.values, keys)
            case .report(let report): report.encodeFields(to: &$0)
            case .failure(let error): error.encodeFields(FailureField.self, to: &$0)
            case .sandbox(let facts): $0.writeArray(Field.values, facts)
            case .passcode(let report): report.encodeFields(to: &$0)
            case .isEndorsed(let isEndorsed): $0.write(Field.values, isEndorsed)
            case .evaluation(let evaluation): evaluation.encodeFields(to: &$0)
            case .rewrappedRowKeys(let keys): $0.writeArray(Field.values, keys)
            case .biometry(let report): report.encodeFields(to: &$0)
            case .match(let report): report.encodeFields(to: &$0)
            case .keychain(let report): report.encodeFields(to: &$0)
            case .madeKey(let key): key.encodeFields(to: &$0)
            case .keyResult(let bytes): $0.write(Field.values, bytes)
            }
        }
    }

    /// Reads exactly one message; anything else is refused.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(bytes))
        let kind: EnclaveReply.Kind = try map.read(Field.kind)
        let id: UInt64 = try map.read(Field.id)
        let payload: EnclaveReply
        switch kind {
        case .done: payload = .done
        case .store: payload = .store(try StoreKeys(fields: &map))
        case .metadataKey: payload = .metadataKey(try MetadataKey(fields: &map))
        case .newRowKeys:
            payload = .newRowKeys(try map.readArray(Field.values, limit: EnclaveRequest.maximumBatch))
        case .rowKeys:
            payload = .rowKeys(try map.read(Field.values))
        case .report: payload = .report(try EnclaveReport(fields: &map))
        case .failure: payload = .failure(try KeychainError(FailureField.self, fields: &map))
        case .sandbox: payload = .sandbox(try map.readArray(Field.values, limit: EnclaveRequest.maximumBatch))
        case .passcode: payload = .passcode(try PasscodeReport(fields: &map))
        case .isEndorsed: payload = .isEndorsed(try map.read(Field.values))
        case .evaluation: payload = .evaluation(try AccessEvaluation(fields: &map))
        case .rewrappedRowKeys:
            payload = .rewrappedRowKeys(try map.readArray(Field.values, limit: EnclaveRequest.maximumBatch))
        case .biometry: payload = .biometry(try BiometryReport(fields: &map))
        case .match: payload = .match(try MatchReport(fields: &map))
        case .keychain: payload = .keychain(try KeychainReport(fields: &map))
        case .madeKey: payload = .madeKey(try MadeKey(fields: &map))
        case .keyResult: payload = .keyResult(try map.read(Field.values))
        }
        try map.end().finish()
        self.init(id: id, payload: payload)
    }
}

// MARK: Failures

/// The three fields of a failure. A failed message and a failed key have them under different numbers.
protocol FailureFields: CBORField {
    static var status: Self { get }
    static var reason: Self { get }
    static var cause: Self { get }
}

private enum FailureField: UInt64, FailureFields {
    case status = 2
    case reason = 3
    case cause = 4
}

extension KeychainError {
    func encodeFields<Field: FailureFields>(_: Field.Type, to writer: inout CBORWriter) {
        writer.write(Field.status, Int64(status.rawValue))
        writer.write(Field.reason, EnclaveWire.fitting(reason, limit: EnclaveWire.maximumReasonBytes))
        writer.write(Field.cause, cause)
    }

    init<Field: FailureFields>(_: Field.Type, fields map: inout CBORMap) throws(CBORError) {
        let status: Int64 = try map.read(Field.status)
        guard let status = Int32(exactly: status), status != Status.success.rawValue else { throw .outOfRange }
        try map.find(Field.reason)
        let reason = try map.reader.readText(limit: EnclaveWire.maximumReasonBytes)
        self.init(cause: try map.read(Field.cause), status: Status(rawValue: status), reason)
    }
}
