import ChatelaineMemory
import ChatelaineModel

/// Has a CMS message read by a worker process that does nothing else.
///
/// The request fails with the statuses of ``FormatFailure``, and needs no keychain.
package struct ReadCMSMessage: RequestMessage, Equatable {
    package typealias Reply = CMSContent

    package static let name = "reading a message of CMS"
    package static let needs = RequestNeeds.nothing

    package let message: CMSMessage

    package init(_ message: CMSMessage) { self.message = message }

    package var operation: Operation { .readCMSMessage }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.file, message) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        message = try fields.read(RequestField.file)
    }
}

/// Has a CMS message written by such a worker. For an order without a signature, the reply is the bytes to be signed.
package struct WriteCMSMessage: RequestMessage, Equatable {
    package typealias Reply = WrittenFile

    package static let name = "writing a message of CMS"
    package static let needs = RequestNeeds.nothing

    package let order: CMSOrder

    package init(_ order: CMSOrder) { self.order = order }

    package var operation: Operation { .writeCMSMessage }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.order, order) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        order = try fields.read(RequestField.order)
    }
}

extension CMSContent: ReplyBody {}
