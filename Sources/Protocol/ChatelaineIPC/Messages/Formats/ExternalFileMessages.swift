import ChatelaineMemory
import ChatelaineModel

/// Has a file of keys and certificates read, by a process that does nothing else. Nothing is stored.
///
/// It fails with the statuses of ``FormatFailure``, and needs no keychain: what is read is the caller's own. A passphrase that a person gives is never the caller's.
package struct ReadExternalFile: RequestMessage, Equatable {
    package typealias Reply = ExternalContent

    package static let name = "reading a file of keys"
    package static let needs = RequestNeeds.nothing

    package let file: ExternalFile
    /// What the program says in the dialog that asks for a passphrase which the file turns out to need; nil where nobody is to be asked.
    package let question: OperationPrompt?

    package init(_ file: ExternalFile, asking question: OperationPrompt? = nil) {
        self.file = file
        self.question = question
    }

    package var operation: Operation { .readExternalFile }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.question, question)
        writer.write(RequestField.file, file)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        question = try fields.readIfPresent(RequestField.question)
        file = try fields.read(RequestField.file)
    }
}

/// Has keys and certificates written as a file, by the same.
package struct WriteExternalFile: RequestMessage, Equatable {
    package typealias Reply = WrittenFile

    package static let name = "writing a file of keys"
    package static let needs = RequestNeeds.nothing

    package let order: ExternalOrder
    /// What the program says in the dialog that asks for a new passphrase, where the format needs one; nil where nobody is to be asked.
    package let question: OperationPrompt?

    package init(_ order: ExternalOrder, asking question: OperationPrompt? = nil) {
        self.order = order
        self.question = question
    }

    package var operation: Operation { .writeExternalFile }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.question, question)
        writer.write(RequestField.order, order)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        question = try fields.readIfPresent(RequestField.question)
        order = try fields.read(RequestField.order)
    }
}

extension ExternalContent: ReplyBody {}

/// The bytes of a file, which may have private keys in the open.
package struct WrittenFile: CBORValue, ReplyBody, Equatable, Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: SecretBytes) { self.bytes = bytes }

    package func encode(to writer: inout CBORWriter) { writer.write(bytes) }

    package init(from reader: inout CBORReader) throws(CBORError) { bytes = try reader.readSecret() }
}
