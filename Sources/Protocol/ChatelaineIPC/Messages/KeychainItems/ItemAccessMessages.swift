import ChatelaineModel

/// Asks for the access object of an item in a file keychain.
///
/// Errors: `errSecItemNotFound`, `errSecNoSuchKeychain`, `errSecAuthFailed`, `errSecInteractionNotAllowed`,
/// `errSecUserCanceled`.
package struct ReadItemAccess: RequestMessage {
    package typealias Reply = AccessObject

    package static let name = "a look at who may use an item"
    package static let needs = RequestNeeds.knownCaller

    /// The keychain's resolved path.
    package var path: String
    package var item: KeychainItemReference
    package var authenticationUI: AuthenticationUI

    package init(_ item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow) {
        (self.item, self.path, authenticationUI) = (item, path, ui)
    }

    package var operation: Operation { .readItemAccess }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.path, path)
        writer.write(RequestField.item, item)
        writer.write(RequestField.authenticationUI, authenticationUI)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
        item = try fields.read(RequestField.item)
        authenticationUI = try fields.read(RequestField.authenticationUI)
    }
}

extension AccessObject: ReplyBody {}

/// Replaces the access object of an item, except for its partition list; the caller must be allowed to change it.
///
/// Errors: those of ``ReadItemAccess``, and `errSecInvalidACL`.
package struct SetItemAccess: ChangeMessage {
    package typealias Reply = NoReply

    package static let name = "a change of who may use an item"
    package static let needs = RequestNeeds.knownCaller

    package var identifier: RequestIdentifier
    package var path: String
    package var item: KeychainItemReference
    package var access: AccessObject
    package var authenticationUI: AuthenticationUI

    package init(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI = .allow,
        identifier: RequestIdentifier = RequestIdentifier()
    ) {
        (self.identifier, self.access, self.item, self.path) = (identifier, access, item, path)
        authenticationUI = ui
    }

    package var operation: Operation { .setItemAccess }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.change, access)
        writer.write(RequestField.path, path)
        writer.write(RequestField.item, item)
        writer.write(RequestField.authenticationUI, authenticationUI)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        access = try fields.read(RequestField.change)
        path = try fields.read(RequestField.path)
        item = try fields.read(RequestField.item)
        authenticationUI = try fields.read(RequestField.authenticationUI)
    }
}

/// Replaces the access objects of items, including their partition lists, with the keychain's password.
///
/// One request is for items of one class, and changes all of them or none: checking a password takes a tenth of a
/// second. The reply is a ``KeychainPasswordReport``.
package struct SetItemAccessWithPassword: PasscodeMessage {
    package typealias Reply = KeychainPasswordReport

    package static let name = "a change of who may use an item, with the keychain's password"
    package static let needs = RequestNeeds.knownCaller
    package static let secret = GivenSecret.keychainPassword

    package var path: String
    package var changes: [ItemAccess]

    package init(_ changes: [ItemAccess], in path: String) { (self.changes, self.path) = (changes, path) }

    package var operation: Operation { .setItemAccessWithPassword }
    package var parts: [PasscodePart] { [.present] }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.writeArray(RequestField.change, changes)
        writer.write(RequestField.path, path)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        changes = try fields.readArray(RequestField.change, limit: ItemAccess.limit)
        path = try fields.read(RequestField.path)
    }
}
