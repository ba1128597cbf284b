import ChatelaineModel

/// Makes its connection one that carries notifications: after the reply come ``ChangeNotification`` frames, and no request any more.
///
/// `errSecNotAvailable` where the process has such a connection already, or its program or user has as many as they may.
package struct SubscribeToChanges: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "subscribe"
    package static let needs = RequestNeeds.admittedCaller

    package init() {}

    package var operation: Operation { .subscribeToChanges }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}

/// Says that something changed in a keychain that the subscriber's access groups show it; never what, and nothing of other groups.
///
/// One stands for all changes since the one before it, so that whoever reads slowly loses nothing but the difference between them.
package struct ChangeNotification: Hashable, Sendable {
    /// How many changes this connection was to be told of so far, with those that other notifications stood for.
    package var number: UInt64
    /// Where items of the subscriber's groups changed; nil where everything may have: a snapshot was restored, a store was opened
    /// anew, rows were set aside or recovered, or a connection took the place of one that was lost.
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
