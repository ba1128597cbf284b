import ChatelaineModel

/// Stores an item in a file keychain.
///
/// The reply is the item with what `item.returns` asks for. Errors: `errSecDuplicateItem`, `errSecNoSuchKeychain`,
/// `errSecNoDefaultKeychain`, `errSecAuthFailed`, `errSecInteractionNotAllowed`, `errSecUserCanceled`,
/// `errSecUnimplemented`, `errSecDataTooLarge`, `errSecInvalidACL`, `errSecParam`.
package struct AddKeychainItem: ChangeMessage {
    package typealias Reply = KeychainItem

    package static let name = "an addition to a file keychain"
    package static let needs = RequestNeeds.knownCaller

    package var identifier: RequestIdentifier
    package var item: NewItem
    /// The resolved path; nil for the default keychain.
    package var path: String?

    package init(_ item: NewItem, to path: String?, identifier: RequestIdentifier = RequestIdentifier()) {
        self.identifier = identifier
        self.item = item
        self.path = path
    }

    package var operation: Operation { .addKeychainItem }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, item)
        writer.write(RequestField.path, path)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        item = try fields.read(RequestField.query)
        path = try fields.readIfPresent(RequestField.path)
    }
}
