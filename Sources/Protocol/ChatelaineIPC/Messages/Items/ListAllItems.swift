import ChatelaineModel

/// Asks for the attributes of the items that a query describes, in all access groups.
///
/// The owner of the keychain may ask, who proves that by the passcode. Errors: `errSecItemNotFound`,
/// `errSecInteractionNotAllowed`.
///
/// - `errSecAuthFailed` for a wrong passcode, and where there is no passcode.
/// - `errSecParam` for a query that wants a secret, or names an item.
package struct ListAllItems: PasscodeMessage {
    package typealias Reply = [FoundItem]

    package static let name = "a list of all items"
    package static let needs = RequestNeeds.admittedCaller

    package var query: ItemQuery

    package init(_ query: ItemQuery) { self.query = query }

    package var operation: Operation { .listAll }
    package var parts: [PasscodePart] { [.present] }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.query, query) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        query = try fields.read(RequestField.query)
    }
}
