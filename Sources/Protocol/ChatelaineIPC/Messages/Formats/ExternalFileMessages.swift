import ChatelaineMemory
import ChatelaineModel

/// Has a file of keys and certificates read by a worker process that does nothing else. Nothing is stored.
///
/// The request fails with the statuses of ``FormatFailure``. It needs no keychain, since the file is the caller's own.
/// The caller never gets a passphrase that a person gives.
package struct ReadExternalFile: RequestMessage, Equatable {
    package typealias Reply = ExternalContent

    package static let name = "reading a file of keys"
    package static let needs = RequestNeeds.nothing

    package let file: ExternalFile
    /// The program's text in the dialog for the passphrase, where the file needs one; nil where nobody is to be asked.
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

/// Has keys and certificates written as a file by such a worker.
package struct WriteExternalFile: RequestMessage, Equatable {
    package typealias Reply = WrittenFile

    package static let name = "writing a file of keys"
    package static let needs = RequestNeeds.nothing

    package let order: ExternalOrder
    /// The program's text in the dialog for a new passphrase, where the format needs one; nil where nobody is to be
    /// asked.
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

/// The bytes of a file, which may contain unencrypted private keys.
package struct WrittenFile: CBORValue, ReplyBody, Equatable, Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: SecretBytes) { self.bytes = bytes }

    package func encode(to writer: inout CBORWriter) { writer.write(bytes) }

    package init(from reader: inout CBORReader) throws(CBORError) { bytes = try reader.readSecret() }
}
