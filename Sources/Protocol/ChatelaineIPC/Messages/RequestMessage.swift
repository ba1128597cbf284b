import ChatelaineModel

/// A kind of request, with what securityd has to know of it before it looks at the content, and what it is answered with.
///
/// Each is a value of its family's folder; securityd has a handler for each family. Any of them fails with
/// `errSecNotAvailable` (the store, the disk or the key custodian is not usable), and those that need a caller with
/// `errSecMissingEntitlement` (it has no access group, or names a foreign one) and `errSecAuthFailed` (its executable
/// changed; behaviour/callers.md, 9). Each lists what it fails with besides.
package protocol RequestMessage: Sendable {
    /// What follows the header of a reply that says success.
    associatedtype Reply: ReplyBody

    /// What a log calls it.
    static var name: String { get }
    /// What has to be there before it is carried out.
    static var needs: RequestNeeds { get }
    /// Whether it must not be carried out twice; such a request is a ``ChangeMessage``.
    static var isChange: Bool { get }

    /// Its number, of those that ``Operation/message`` has it for.
    var operation: Operation { get }
    /// Whether a person may be asked for it about a caller that would be refused (behaviour/callers.md, 9).
    var mayAskPerson: Bool { get }
    /// What processes do for it, of which there are few.
    var work: RequestWork { get }
    /// Writes the fields after the operation, in the order of their numbers.
    func encodeFields(to writer: inout CBORWriter)
    /// Reads the fields after the operation; the fields that are left are refused.
    init(_ operation: Operation, fields: inout CBORMap) throws(CBORError)
}

/// A request that changes items. The daemon knows it again when a client repeats it, and gives the first answer.
package protocol ChangeMessage: RequestMessage {
    var identifier: RequestIdentifier { get }
}

extension RequestMessage {
    package static var isChange: Bool { false }
    package var mayAskPerson: Bool { false }
    package var work: RequestWork { .none }
}

extension ChangeMessage {
    package static var isChange: Bool { true }
}

/// What processes of the daemons do for a request. Where there is some, all programs together have so many of them under way (`DeferredRequest`).
package enum RequestWork: Sendable {
    case none
    /// For a moment.
    case brief
    /// For seconds: servers are asked. Of those a program has a few under way, so that all else has connections.
    case long
    /// For minutes, perhaps: primes are looked for, hundreds of certificates are judged, and a person may be asked. These are counted apart, so that no evaluation
    /// of trust waits for a dialog.
    case longest
}

/// What of the keychain and of the caller a request needs.
package enum RequestNeeds: Sendable {
    /// An open keychain, and a caller who is not refused.
    case admittedCaller
    /// An open keychain, and a caller of whom it is known who that is, refused or not.
    case knownCaller
    /// The same for what changes nothing and asks nothing of the keychain itself, of which it knows who the caller is.
    case knownReader
    /// The same where a keychain opens. Where none does nobody can be known, and the request may be the way out.
    case knownCallerIfOpen
    /// An open keychain, whoever asks.
    case openKeychain
    /// Nothing: it tells of what there is, and of whoever asks.
    case nothing
}

/// Fields of requests. The numbers are shared by all of them, so that a field means the same wherever it is.
package enum RequestField: UInt64, CBORField {
    case operation = 0
    case identifier = 1
    case query = 2
    /// What is to become of items, or the certificate that becomes an anchor.
    case change = 3
    case path = 4
    case name = 5
    case number = 6
    /// That a passcode comes with it.
    case passcode = 7
    /// How a person is to be asked.
    case question = 8
    case constraints = 9
    /// In which file keychains items are looked for.
    case scope = 10
    /// One item of a file keychain.
    case item = 11
    case authenticationUI = 12
    /// Whether a person is asked about what the program may not do by itself.
    case asksPerson = 13
    /// Certificates that are to be read.
    case certificates = 16
    /// A file of keys and certificates, to be read …
    case file = 20
    /// … and what is to be written as one.
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

    /// The request, whatever it is.
    package func readAny() throws(CBORError) -> any RequestMessage { try read(operation.message) }

    /// Reads the rest, whole or not at all.
    package func read<Message: RequestMessage>(_: Message.Type = Message.self) throws(CBORError) -> Message {
        var fields = fields
        let message = try Message(operation, fields: &fields)
        try fields.end().finish()
        return message
    }
}
