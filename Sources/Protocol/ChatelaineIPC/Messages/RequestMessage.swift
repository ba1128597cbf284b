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

extension RequestMessage {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(RequestField.operation, operation)
            encodeFields(to: &$0)
        }
    }
}
