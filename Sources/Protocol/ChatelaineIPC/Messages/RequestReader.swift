import ChatelaineModel

/// A request whose operation was read and whose content was not.
package struct RequestReader {
    package let operation: Operation
    private let fields: CBORMap

    /// Reads the operation of the one request that `frame` holds.
    package init(_ frame: UnsafeRawBufferPointer) throws(CBORError) {
        var fields = try CBORMap(CBORReader(frame))
        operation = try fields.read(RequestField.operation)
        self.fields = fields
    }

    /// The request, of whatever kind.
    package func readAny() throws(CBORError) -> any RequestMessage { try read(operation.message) }

    /// Reads the remaining fields; a request with an unknown field or with bytes after it is refused.
    package func read<Message: RequestMessage>(_: Message.Type = Message.self) throws(CBORError) -> Message {
        var fields = fields
        let message = try Message(operation, fields: &fields)
        try fields.end().finish()
        return message
    }
}
