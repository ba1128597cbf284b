import ChatelaineModel

/// The fields of every reply, and of replies of one value. Other replies define their fields from 2 on themselves.
enum EnclaveReplyField: UInt64, CBORField {
    case kind = 0
    case id = 1
    case values = 2
}

extension EnclaveAnswer {
    /// Writes the reply or the failure as one CBOR map.
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch result {
            case .success(let reply):
                $0.write(EnclaveReplyField.kind, type(of: reply).kind)
                $0.write(EnclaveReplyField.id, id)
                reply.encodeFields(to: &$0)
            case .failure(let error):
                $0.write(EnclaveReplyField.kind, EnclaveReplyKind.failure)
                $0.write(EnclaveReplyField.id, id)
                error.encodeFields(FailureField.self, to: &$0)
            }
        }
    }
}

/// A reply whose kind and number were read and whose content was not.
package struct EnclaveReplyReader {
    /// The number of the request.
    package let id: UInt64
    package let kind: EnclaveReplyKind
    private let fields: CBORMap

    /// Reads the beginning of the one reply that `frame` holds.
    package init(_ frame: UnsafeRawBufferPointer) throws(CBORError) {
        var fields = try CBORMap(CBORReader(frame))
        kind = try fields.read(EnclaveReplyField.kind)
        id = try fields.read(EnclaveReplyField.id)
        self.fields = fields
    }

    /// Reads the remaining fields; a reply with an unknown field or with bytes after it is refused.
    ///
    /// - Returns: nil for a reply of another kind, which answers another request.
    package func read<Reply: EnclaveReply>(
        _: Reply.Type = Reply.self
    ) throws(CBORError) -> Result<Reply, KeychainError>? {
        var fields = fields
        let result: Result<Reply, KeychainError>
        switch kind {
        case .failure: result = .failure(try KeychainError(FailureField.self, fields: &fields))
        case Reply.kind: result = .success(try Reply(fields: &fields))
        default: return nil
        }
        try fields.end().finish()
        return result
    }
}

extension EnclaveAnswer {
    /// Reads exactly one answer, of whatever kind; anything else is refused.
    package init(decoding frame: UnsafeRawBufferPointer) throws(CBORError) {
        let reader = try EnclaveReplyReader(frame)
        let replies = EnclaveOperation.allCases.lazy.map { Self.reply(of: $0.request) }
        // A failure is read the same whatever the reply would have been.
        let reply: any EnclaveReply.Type =
            replies.first { $0.kind == reader.kind } ?? (Done.self as any EnclaveReply.Type)
        self.init(id: reader.id, try Self.read(reader, as: reply))
    }

    private static func reply<Request: EnclaveRequest>(of _: Request.Type) -> any EnclaveReply.Type {
        Request.Reply.self
    }

    private static func read<Reply: EnclaveReply>(
        _ reader: EnclaveReplyReader, as _: Reply.Type
    ) throws(CBORError) -> Result<any EnclaveReply, KeychainError> {
        guard let result = try reader.read(Reply.self) else { throw .outOfRange }
        return result.map { $0 as any EnclaveReply }
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
