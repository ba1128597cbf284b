import ChatelaineMemory
import ChatelaineModel

/// Has a private key made in a file keychain, without any program seeing it.
///
/// The reply is the key's item; the public key is stored with it where that is wanted. Errors: those of
/// ``AddKeychainItem``. Where one of the two items exists already, neither is stored.
package struct MakeKeychainKey: ChangeMessage {
    package typealias Reply = KeychainItem

    package static let name = "make a key in a file keychain"
    package static let needs = RequestNeeds.knownCaller

    package var identifier: RequestIdentifier
    package var pair: NewKeyPair
    /// The resolved path; nil for the default keychain.
    package var path: String?

    package init(_ pair: NewKeyPair, in path: String?, identifier: RequestIdentifier = RequestIdentifier()) {
        (self.pair, self.path, self.identifier) = (pair, path, identifier)
    }

    package var operation: Operation { .makeKeychainKey }
    package var work: RequestWork { .longest }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, pair)
        writer.write(RequestField.path, path)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        pair = try fields.read(RequestField.query)
        path = try fields.readIfPresent(RequestField.path)
    }
}

/// Has a private key of a file keychain used; the reply is the resulting bytes.
///
/// Errors: those of ``UseKey`` and ``FindKeychainItems``.
package struct UseKeychainKey: RequestMessage {
    package typealias Reply = KeyResult

    package static let name = "use a key of a file keychain"
    package static let needs = RequestNeeds.knownCaller

    /// The file keychains in which the key that `use` names is looked for.
    package var scope: KeychainScope
    package var use: KeyUsage

    package init(_ use: KeyUsage, in scope: KeychainScope) { (self.use, self.scope) = (use, scope) }

    package var operation: Operation { .useKeychainKey }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.query, use)
        writer.write(RequestField.scope, scope)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        use = try fields.read(RequestField.query)
        scope = try fields.read(RequestField.scope)
    }
}
