import ChatelaineModel

/// Makes this connection carry events of file keychains: ``KeychainEvent`` frames follow the reply, and no further
/// request is read.
///
/// Any program of the user may subscribe. Error: `errSecNotAvailable` where the process has such a connection already,
/// or its program or user has as many as are allowed.
package struct SubscribeToKeychainEvents: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "subscribe-to-keychain-events"
    package static let needs = RequestNeeds.nothing

    package init() {}

    package var operation: Operation { .subscribeToKeychainEvents }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}
