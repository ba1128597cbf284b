import ChatelaineModel

/// A request of securityd to the key custodian, with the type of its reply.
///
/// Each request is a value in the folder of its family (`Requests`). ``EnclaveOperation`` has their numbers, and the
/// custodian has a function for each of them.
///
/// Each request lists the statuses with which it can fail. Besides these, any request fails with
/// `errSecInternalComponent` (the custodian's state is damaged) and `errSecNotAvailable` (its disk or memory failed).
package protocol EnclaveRequest<Reply>: Sendable {
    /// What the custodian answers where it carries the request out.
    associatedtype Reply: EnclaveReply

    /// The request's number, which ``EnclaveOperation/request`` maps to this type.
    static var operation: EnclaveOperation { get }
    /// Whether the request takes keys away.
    static var locks: Bool { get }

    /// The store that has to be open for the request; nil where none has to be.
    var neededStore: StoreIdentifier? { get }
    /// Writes the fields after the number that matches the reply, in the order of their numbers.
    func encodeFields(to writer: inout CBORWriter)
    /// Reads these fields; the reader refuses fields that are left over.
    init(fields: inout CBORMap) throws(CBORError)
}

extension EnclaveRequest {
    package static var locks: Bool { false }
    package var neededStore: StoreIdentifier? { nil }
}

/// A request about one store, which it names, whatever the channel and earlier requests are.
///
/// It fails with `errSecParam` where that store is not open.
package protocol EnclaveStoreRequest: EnclaveRequest {
    var store: StoreIdentifier { get }
}

extension EnclaveStoreRequest {
    package var neededStore: StoreIdentifier? { store }
}

/// A request of which the kind and the store say everything.
package protocol EnclaveBareRequest: EnclaveStoreRequest {
    init(_ store: StoreIdentifier)
}

extension EnclaveBareRequest {
    package func encodeFields(to writer: inout CBORWriter) { writer.write(EnclaveField.store, store) }

    package init(fields: inout CBORMap) throws(CBORError) { self.init(try fields.read(EnclaveField.store)) }
}

/// A request that waits for a biometric. It comes on a channel of its own, whose end withdraws it.
///
/// `errSecAuthFailed` without a passcode, `errSecInteractionNotAllowed` where the store was locked meanwhile,
/// `errSecNotAvailable` where as many requests wait as are allowed.
package protocol EnclaveMatchRequest: EnclaveStoreRequest where Reply == MatchReport {}
