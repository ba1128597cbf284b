import ChatelaineMemory
import ChatelaineModel

/// Has a file of keys and certificates read, by a process that does nothing else. Nothing is stored.
///
/// It fails with the statuses of ``FormatFailure``, and needs no keychain: what is read is the caller's own.
package struct ReadExternalFile: RequestMessage, Equatable {
    package typealias Reply = ExternalContent

    package static let name = "reading a file of keys"
    package static let needs = RequestNeeds.nothing

    package let file: ExternalFile

    package init(_ file: ExternalFile) { self.file = file }

    package var operation: Operation { .readExternalFile }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.file, file) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        file = try fields.read(RequestField.file)
    }
}

/// Has keys and certificates written as a file, by the same.
package struct WriteExternalFile: RequestMessage, Equatable {
    package typealias Reply = WrittenFile

    package static let name = "writing a file of keys"
    package static let needs = RequestNeeds.nothing

    package let order: ExternalOrder

    package init(_ order: ExternalOrder) { self.order = order }

    package var operation: Operation { .writeExternalFile }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.order, order) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
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
