import ChatelaineModel

/// Makes its connection one that carries events of file keychains: after the reply come ``KeychainEvent`` frames, and no request any more.
///
/// Any program of the user may. `errSecNotAvailable` where the process has such a connection already, or its program or user has as
/// many as they may.
package struct SubscribeToKeychainEvents: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "subscribe-to-keychain-events"
    package static let needs = RequestNeeds.nothing

    package init() {}

    package var operation: Operation { .subscribeToKeychainEvents }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}
