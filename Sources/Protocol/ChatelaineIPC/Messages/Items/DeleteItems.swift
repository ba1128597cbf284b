import ChatelaineModel

/// Deletes every item that a query describes. Errors: `errSecItemNotFound`, `errSecParam`.
package struct DeleteItems: ChangeMessage {
    package typealias Reply = NoReply

    package static let name = "delete"
    package static let needs = RequestNeeds.admittedCaller

    package var identifier: RequestIdentifier
    package var query: ItemQuery

    package init(_ query: ItemQuery, identifier: RequestIdentifier = RequestIdentifier()) {
        self.identifier = identifier
        self.query = query
    }

    package var operation: Operation { .delete }
    package var mayAskPerson: Bool { query.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, query)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        query = try fields.read(RequestField.query)
    }
}
