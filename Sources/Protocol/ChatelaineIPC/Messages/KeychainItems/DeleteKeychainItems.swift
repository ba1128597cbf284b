import ChatelaineModel

/// Deletes every item of file keychains that a query describes.
///
/// Errors: those of ``FindKeychainItems``, and `errSecInvalidOwnerEdit` for an item that the program may not read.
package struct DeleteKeychainItems: ChangeMessage {
    package typealias Reply = NoReply

    package static let name = "a deletion in file keychains"
    package static let needs = RequestNeeds.knownCaller

    package var identifier: RequestIdentifier
    package var scope: KeychainScope
    package var query: ItemQuery
    /// Whether a person is asked about items that the program may not read.
    ///
    /// `SecKeychainItemDelete` has a person asked; `SecItemDelete` refuses such items.
    package var asksPerson: Bool

    package init(
        _ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool,
        identifier: RequestIdentifier = RequestIdentifier()
    ) {
        self.identifier = identifier
        self.scope = scope
        self.query = query
        self.asksPerson = asksPerson
    }

    package var operation: Operation { .deleteKeychainItems }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, query)
        writer.write(RequestField.scope, scope)
        writer.write(RequestField.asksPerson, asksPerson)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        query = try fields.read(RequestField.query)
        scope = try fields.read(RequestField.scope)
        asksPerson = try fields.read(RequestField.asksPerson)
    }
}
