import ChatelaineModel

/// A kind of request, with what securityd has to know before it reads the content, and with the type of its reply.
///
/// Each request is a value in the folder of its family; securityd has a handler for each family. Each request lists its
/// own errors. Besides these, any request fails with:
///
/// - `errSecNotAvailable`: the store, the disk or the key custodian is not usable.
/// - `errSecMissingEntitlement`, where it needs a caller: the caller has no access group, or names a foreign one.
/// - `errSecAuthFailed`, where it needs a caller: the caller's executable changed (behaviour/callers.md, 9).
package protocol RequestMessage: Sendable {
    /// What follows the header of a successful reply.
    associatedtype Reply: ReplyBody

    /// The request's name in logs.
    static var name: String { get }
    /// What the request needs before it is carried out.
    static var needs: RequestNeeds { get }
    /// Whether the request must not be carried out twice; such a request is a ``ChangeMessage``.
    static var isChange: Bool { get }

    /// Whether programs are told how an authentication failed, besides the status.
    static var tellsAuthentication: Bool { get }

    /// The request's number, one of those that ``Operation/message`` maps to this type.
    var operation: Operation { get }
    /// Whether a person may be asked about a caller that would otherwise be refused (behaviour/callers.md, 9).
    var mayAskPerson: Bool { get }
    /// Whether the request may have a person asked, and does nothing else. It is not sent again where the daemon goes
    /// away before it answers, since the person would see a second dialog.
    var onlyAsksPerson: Bool { get }
    /// What worker processes do for the request; there are few of them.
    var work: RequestWork { get }
    /// Writes the fields after the operation, in the order of their numbers.
    func encodeFields(to writer: inout CBORWriter)
    /// Reads the fields after the operation; the reader refuses fields that are left over.
    init(_ operation: Operation, fields: inout CBORMap) throws(CBORError)
}

/// A request that changes items.
///
/// The daemon recognises a repeated request by its identifier and gives the first answer again.
package protocol ChangeMessage: RequestMessage {
    var identifier: RequestIdentifier { get }
}

extension RequestMessage {
    package static var isChange: Bool { false }
    package static var tellsAuthentication: Bool { false }
    package var mayAskPerson: Bool { false }
    package var onlyAsksPerson: Bool { false }
    package var work: RequestWork { .none }
}

extension ChangeMessage {
    package static var isChange: Bool { true }
}

/// How long processes of the daemons work for a request; the number of such requests under way is limited for all
/// programs together (`DeferredRequest`).
package enum RequestWork: Sendable {
    case none
    /// Moments.
    case brief
    /// Seconds, since servers are asked. A program has only a few of these under way, so that its other calls have
    /// connections.
    case long
    /// Minutes, perhaps.
    ///
    /// A worker looks for primes or judges hundreds of certificates, or a person is asked. These requests are counted
    /// separately, so that no evaluation of trust waits for a dialog.
    case longest
}

/// What a request needs of the keychain and of the caller.
package enum RequestNeeds: Sendable {
    /// An open keychain, and a caller that is not refused.
    case admittedCaller
    /// An open keychain, and an identified caller, refused or not.
    case knownCaller
    /// As ``knownCaller``, for a request that changes nothing and needs the keychain only to identify the caller.
    case knownReader
    /// As ``knownCaller`` where a keychain opens.
    ///
    /// Where none opens, no caller can be identified, and the request may be what repairs that.
    case knownCallerIfOpen
    /// An open keychain, whoever the caller is.
    case openKeychain
    /// Neither: the keychain may be unusable, and the caller unknown.
    case nothing
}

/// Fields of requests. All requests share the numbers, so that a field means the same in each.
package enum RequestField: UInt64, CBORField {
    case operation = 0
    case identifier = 1
    case query = 2
    /// The change to items, or the certificate that becomes an anchor.
    case change = 3
    case path = 4
    case name = 5
    case number = 6
    /// Says that a passcode comes with the request.
    case passcode = 7
    /// What a person is asked.
    case question = 8
    case constraints = 9
    /// The file keychains in which items are looked for.
    case scope = 10
    /// One item of a file keychain.
    case item = 11
    case authenticationUI = 12
    /// Whether a person is asked about what the program may not do by itself.
    case asksPerson = 13
    /// Certificates to read.
    case certificates = 16
    /// A file of keys and certificates to read.
    case file = 20
    /// What is to be written as a file of keys and certificates.
    case order = 21
}

extension RequestMessage {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(RequestField.operation, operation)
            encodeFields(to: &$0)
        }
    }
}

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
