import ChatelaineModel

/// Asks for the items of file keychains that a query describes.
///
/// The reply holds at least one item. The attributes of items can be read while their keychain is locked. Secrets need
/// an unlocked keychain, for which a person is asked. Errors: `errSecItemNotFound`, `errSecNoSuchKeychain`,
/// `errSecAuthFailed`, `errSecInteractionNotAllowed`, `errSecUserCanceled`, `errSecParam`.
package struct FindKeychainItems: RequestMessage {
    package typealias Reply = [KeychainItem]

    package static let name = "a search in file keychains"
    package static let needs = RequestNeeds.knownReader

    package var scope: KeychainScope
    package var query: ItemQuery

    package init(_ query: ItemQuery, in scope: KeychainScope) {
        self.scope = scope
        self.query = query
    }

    package var operation: Operation { .findKeychainItems }
    package var work: RequestWork { query.certificateTerms.needVerdict ? .longest : .none }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.query, query)
        writer.write(RequestField.scope, scope)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        query = try fields.read(RequestField.query)
        scope = try fields.read(RequestField.scope)
    }
}

extension KeychainItem: ReplyBody {}
