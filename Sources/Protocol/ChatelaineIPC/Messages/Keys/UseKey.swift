import ChatelaineMemory
import ChatelaineModel

/// Has a private or symmetric key of the keychain used; the reply is the resulting bytes.
///
/// Errors: `errSecItemNotFound`, `errSecInteractionNotAllowed`.
///
/// - `errSecParam` for input that does not fit the key.
/// - `errSecDecode` for input that was not encrypted for the key.
/// - `errSecUnimplemented` for the bytes of a key that cannot be exported.
package struct UseKey: RequestMessage {
    package typealias Reply = KeyResult

    package static let name = "use key"
    package static let needs = RequestNeeds.admittedCaller
    package static let tellsAuthentication = true

    package var use: KeyUsage

    package init(_ use: KeyUsage) { self.use = use }

    package var operation: Operation { .useKey }
    package var mayAskPerson: Bool { use.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, use) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        use = try fields.read(RequestField.query)
    }
}

/// A use of a key: which key, for what, and whether a person may be asked.
package struct KeyUsage: Sendable {
    package var item: ItemIdentifier
    package var task: KeyTask
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?

    package init(_ item: ItemIdentifier, _ task: KeyTask) {
        self.item = item
        self.task = task
    }
}

/// The bytes that the use of a key gave.
package struct KeyResult: ReplyBody {
    package let bytes: SecretBytes

    package init(_ bytes: SecretBytes) { self.bytes = bytes }
}

extension KeyResult: CBORValue {
    package init(from reader: inout CBORReader) throws(CBORError) { self.init(try reader.readSecret()) }

    package func encode(to writer: inout CBORWriter) { writer.write(bytes) }
}

extension KeyUsage: CBORValue {
    private enum Field: UInt64, CBORField {
        case item = 0
        case task = 1
        case authenticationUI = 2
        case prompt = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.item, item)
            $0.write(Field.task, task)
            $0.write(Field.authenticationUI, authenticationUI)
            $0.write(Field.prompt, prompt)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let item: ItemIdentifier = try map.read(Field.item)
        self.init(item, try map.read(Field.task))
        authenticationUI = try map.read(Field.authenticationUI)
        prompt = try map.readIfPresent(Field.prompt)
        reader = try map.end()
    }
}
