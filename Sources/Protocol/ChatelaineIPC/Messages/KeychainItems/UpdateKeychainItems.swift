import ChatelaineModel

/// Changes every item of file keychains that a query describes; in each keychain all of them or none.
///
/// Errors: those of ``FindKeychainItems``, and `errSecDuplicateItem`.
package struct UpdateKeychainItems: ChangeMessage {
    package typealias Reply = NoReply

    package static let name = "a change in file keychains"
    package static let needs = RequestNeeds.knownCaller

    package var identifier: RequestIdentifier
    package var scope: KeychainScope
    package var query: ItemQuery
    package var change: ItemChange

    package init(
        _ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope,
        identifier: RequestIdentifier = RequestIdentifier()
    ) {
        self.identifier = identifier
        self.scope = scope
        self.query = query
        self.change = change
    }

    package var operation: Operation { .updateKeychainItems }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, query)
        writer.write(RequestField.change, change)
        writer.write(RequestField.scope, scope)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        query = try fields.read(RequestField.query)
        change = try fields.read(RequestField.change)
        scope = try fields.read(RequestField.scope)
    }
}
