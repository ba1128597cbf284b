import ChatelaineModel

/// Asks for the items that a query describes.
///
/// The reply holds at least one item. Errors: `errSecItemNotFound`, `errSecInteractionNotAllowed`, `errSecParam`.
package struct FindItems: RequestMessage {
    package typealias Reply = [FoundItem]

    package static let name = "find"
    package static let needs = RequestNeeds.admittedCaller

    package var query: ItemQuery

    package init(_ query: ItemQuery) { self.query = query }

    package var operation: Operation { .find }
    package var work: RequestWork { query.certificateTerms.needVerdict ? .longest : .none }
    package var mayAskPerson: Bool { query.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, query) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        query = try fields.read(RequestField.query)
    }
}
