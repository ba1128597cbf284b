import ChatelaineModel

/// Fields of requests. All requests share the numbers.
enum EnclaveField: UInt64, CBORField {
    case kind = 0
    case id = 1
    case store = 2
    /// The subject of the request, by its kind: whether the store is empty, a protection class, the id of a key, or a
    /// batch; the program that gives a passcode, or the subject of constraints.
    case subject = 3
    /// The context and the operation.
    case use = 4
    /// The program that gives a passcode, where ``subject`` is something else.
    case program = 5
    /// The digest of records that widen access.
    case digest = 6
    /// The header of a file keychain.
    case header = 7
    /// The keybag whose passcode counts as the password.
    case keybag = 8
    /// The row of a private key.
    case context = 9
    /// The task for a private key.
    case task = 10
    /// Whether trust settings are among the records.
    case haveTrust = 11
    /// Whether a person has typed the program's password.
    case isTyped = 12
}

extension CBORMap {
    mutating func readOrigin(_ field: EnclaveField = .subject) throws(CBORError) -> PasscodeOrigin {
        PasscodeOrigin(program: try readIfPresent(field))
    }

    mutating func readDigest() throws(CBORError) -> [UInt8] {
        try find(EnclaveField.digest)
        return try reader.readArray(count: Endorsement.digestBytes)
    }
}

extension EnclaveRequest {
    /// Writes the request as one CBOR map.
    ///
    /// - Parameter id: a number that no other request of the sender in flight has; the reply has the same.
    package func encode(id: UInt64, to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(EnclaveField.kind, Self.operation)
            $0.write(EnclaveField.id, id)
            encodeFields(to: &$0)
        }
    }
}

/// A request whose kind and number were read and whose content was not.
package struct EnclaveRequestReader {
    package let operation: EnclaveOperation
    package let id: UInt64
    private let fields: CBORMap

    /// Reads the beginning of the one request that `frame` holds.
    package init(_ frame: UnsafeRawBufferPointer) throws(CBORError) {
        var fields = try CBORMap(CBORReader(frame))
        operation = try fields.read(EnclaveField.kind)
        id = try fields.read(EnclaveField.id)
        self.fields = fields
    }

    /// The request, of whatever kind.
    package func readAny() throws(CBORError) -> any EnclaveRequest { try read(operation.request) }

    /// Reads the remaining fields; a request with an unknown field or with bytes after it is refused.
    package func read<Request: EnclaveRequest>(_: Request.Type = Request.self) throws(CBORError) -> Request {
        guard operation == Request.operation else { throw .outOfRange }
        var fields = fields
        let request = try Request(fields: &fields)
        try fields.end().finish()
        return request
    }
}
