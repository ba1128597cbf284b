import ChatelaineModel

/// Makes this connection carry notifications: ``ChangeNotification`` frames follow the reply, and no further request is
/// read.
///
/// Error: `errSecNotAvailable` where the process has such a connection already, or its program or user has as many as
/// are allowed.
package struct SubscribeToChanges: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "subscribe"
    package static let needs = RequestNeeds.admittedCaller

    package init() {}

    package var operation: Operation { .subscribeToChanges }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}

/// Says that something changed in a keychain, among the items that the subscriber's access groups may see.
///
/// A notification never says what changed. One notification stands for all changes since the one before it, so that a
/// slow reader misses only how many there were.
package struct ChangeNotification: Hashable, Sendable {
    /// How many changes this connection should have reported so far, including those merged into one notification.
    package var number: UInt64
    /// The keychain in which items of the subscriber's groups changed; nil where everything may have changed.
    ///
    /// That is so after a snapshot was restored, a store was opened anew, or rows were set aside or recovered. It is
    /// also so where a connection replaced a lost one.
    package var keychain: KeychainName?

    package init(number: UInt64, keychain: KeychainName?) {
        self.number = number
        self.keychain = keychain
    }
}

extension ChangeNotification: CBORValue {
    private enum Field: UInt64, CBORField {
        case number = 0
        case keychain = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.number, number)
            $0.write(Field.keychain, keychain)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(number: try map.read(Field.number), keychain: try map.readIfPresent(Field.keychain))
        reader = try map.end()
    }
}

extension KeychainName: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let name = KeychainName(try reader.readText()) else { throw .outOfRange }
        self = name
    }

    package func encode(to writer: inout CBORWriter) { writer.write(text) }
}
