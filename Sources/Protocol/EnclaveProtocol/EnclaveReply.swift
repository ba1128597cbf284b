import ChatelaineModel

/// What the key custodian answers where it carries a request out. The type belongs to the request.
package protocol EnclaveReply: Sendable {
    static var kind: EnclaveReplyKind { get }
    /// Writes the fields after the number of the request, in the order of their numbers.
    func encodeFields(to writer: inout CBORWriter)
    /// Reads these fields; the reader refuses fields that are left over.
    init(fields: inout CBORMap) throws(CBORError)
}

/// The numbers of the kinds of replies on the wire, which never change meaning.
package enum EnclaveReplyKind: UInt8, CBORValue, CaseIterable, Sendable {
    case done = 1
    case metadataKey = 3
    case newRowKeys = 4
    case rowKeys = 5
    case report = 6
    /// There is no reply, and here is why.
    case failure = 7
    case sandbox = 8
    case store = 9
    case passcode = 10
    case evaluation = 11
    case rewrappedRowKeys = 12
    case biometry = 13
    case match = 14
    case madeKey = 15
    case keyResult = 16
    case isEndorsed = 20
    case keychain = 21
}

/// The answer to one request: its reply, or why there is none.
package struct EnclaveAnswer: Sendable {
    /// The number of the request.
    package let id: UInt64
    package let result: Result<any EnclaveReply, KeychainError>

    package init(id: UInt64, _ result: Result<any EnclaveReply, KeychainError>) {
        (self.id, self.result) = (id, result)
    }
}

/// A reply that says everything by its kind.
package struct Done: EnclaveReply {
    package static let kind = EnclaveReplyKind.done

    package init() {}
    package init(fields: inout CBORMap) throws(CBORError) {}
    package func encodeFields(to writer: inout CBORWriter) {}
}

/// A value of which a reply has one for each in the request, in the same order.
package protocol EnclaveReplyElement: CBORValue, Sendable {
    static var replyKind: EnclaveReplyKind { get }
}

extension Array: EnclaveReply where Element: EnclaveReplyElement {
    package static var kind: EnclaveReplyKind { Element.replyKind }

    package func encodeFields(to writer: inout CBORWriter) { writer.writeArray(EnclaveReplyField.values, self) }

    package init(fields: inout CBORMap) throws(CBORError) {
        self = try fields.readArray(EnclaveReplyField.values, limit: EnclaveWire.maximumBatch)
    }
}
