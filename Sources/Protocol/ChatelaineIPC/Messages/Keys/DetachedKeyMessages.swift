import ChatelaineMemory
import ChatelaineModel

/// Has the enclave make a private key that is no item: the program keeps the bytes of the reply.
///
/// Otherwise as ``MakeKey``.
package struct MakeDetachedKey: RequestMessage {
    package typealias Reply = DetachedKeyReply

    package static let name = "make detached key"
    package static let needs = RequestNeeds.admittedCaller

    /// The item that the key would be. Only its access group, protection class and constraints count.
    package var item: NewItem

    package init(_ item: NewItem) { self.item = item }

    package var operation: Operation { .makeDetachedKey }
    package var mayAskPerson: Bool { item.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, item) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        item = try fields.read(RequestField.query)
    }
}

/// Asks for the public key of a key that a program has kept.
///
/// Errors: `errSecDecode` for bytes that are no such key, `errSecItemNotFound` for a key of another access group.
package struct ReadDetachedKey: RequestMessage {
    package typealias Reply = DetachedKeyReply

    package static let name = "read detached key"
    package static let needs = RequestNeeds.admittedCaller

    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var operation: Operation { .readDetachedKey }
    package var mayAskPerson: Bool { true }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, bytes) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        bytes = try fields.read(RequestField.query)
    }
}

/// Has a kept key used; the reply is the resulting bytes. Otherwise as ``UseKey``.
package struct UseDetachedKey: RequestMessage {
    package typealias Reply = KeyResult

    package static let name = "use detached key"
    package static let needs = RequestNeeds.admittedCaller
    package static let tellsAuthentication = true

    package var use: DetachedKeyUsage

    package init(_ use: DetachedKeyUsage) { self.use = use }

    package var operation: Operation { .useDetachedKey }
    package var mayAskPerson: Bool { use.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, use) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        use = try fields.read(RequestField.query)
    }
}

/// A use of a kept key: which key, for what, and whether a person may be asked.
package struct DetachedKeyUsage: Sendable {
    package var bytes: [UInt8]
    package var task: KeyTask
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?

    package init(_ bytes: [UInt8], _ task: KeyTask) {
        self.bytes = bytes
        self.task = task
    }
}

/// The bytes of a key that the program keeps, and its public half.
package struct DetachedKeyReply: ReplyBody {
    package let bytes: [UInt8]
    package let publicBytes: [UInt8]

    package init(bytes: [UInt8], publicBytes: [UInt8]) {
        self.bytes = bytes
        self.publicBytes = publicBytes
    }
}

extension DetachedKeyReply: CBORValue {
    private enum Field: UInt64, CBORField {
        case bytes = 0
        case publicBytes = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.bytes, bytes)
            $0.write(Field.publicBytes, publicBytes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let bytes: [UInt8] = try map.read(Field.bytes)
        self.init(bytes: bytes, publicBytes: try map.read(Field.publicBytes))
        reader = try map.end()
    }
}

extension DetachedKeyUsage: CBORValue {
    private enum Field: UInt64, CBORField {
        case bytes = 0
        case task = 1
        case authenticationUI = 2
        case prompt = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.bytes, bytes)
            $0.write(Field.task, task)
            $0.write(Field.authenticationUI, authenticationUI)
            $0.write(Field.prompt, prompt)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let bytes: [UInt8] = try map.read(Field.bytes)
        self.init(bytes, try map.read(Field.task))
        authenticationUI = try map.read(Field.authenticationUI)
        prompt = try map.readIfPresent(Field.prompt)
        reader = try map.end()
    }
}
