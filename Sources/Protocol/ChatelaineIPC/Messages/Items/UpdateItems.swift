import ChatelaineModel

/// Changes every item that a query describes.
///
/// Errors: `errSecItemNotFound`, `errSecDuplicateItem`, `errSecInteractionNotAllowed`, `errSecParam`.
package struct UpdateItems: ChangeMessage {
    package typealias Reply = NoReply

    package static let name = "update"
    package static let needs = RequestNeeds.admittedCaller

    package var identifier: RequestIdentifier
    package var query: ItemQuery
    package var change: ItemChange

    package init(_ query: ItemQuery, _ change: ItemChange, identifier: RequestIdentifier = RequestIdentifier()) {
        self.identifier = identifier
        self.query = query
        self.change = change
    }

    package var operation: Operation { .update }
    package var mayAskPerson: Bool { query.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, query)
        writer.write(RequestField.change, change)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        query = try fields.read(RequestField.query)
        change = try fields.read(RequestField.change)
    }
}
