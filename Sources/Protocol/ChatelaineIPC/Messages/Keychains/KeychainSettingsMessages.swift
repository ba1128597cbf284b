import ChatelaineModel

/// Asks when a file keychain locks by itself. Its ``KeychainSettings`` follow.
///
/// `errSecInteractionNotAllowed` while it is locked, since nothing proves them then; and what a ``KeychainCommand`` fails with.
package struct ReadKeychainSettings: Sendable, Equatable {
    package let path: String

    package init(path: String) { self.path = path }
}

extension ReadKeychainSettings: RequestMessage {
    package typealias Reply = KeychainSettings

    package static let name = "a look at the settings of a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .readKeychainSettings }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
    }
}

/// Sets when a file keychain locks by itself, and begins its time anew. Nothing follows; fails as ``ReadKeychainSettings``.
package struct SetKeychainSettings: Sendable, Equatable {
    package let path: String
    package let settings: KeychainSettings

    package init(path: String, to settings: KeychainSettings) {
        self.path = path
        self.settings = settings
    }
}

extension SetKeychainSettings: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "a change of the settings of a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .setKeychainSettings }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.change, settings)
        writer.write(RequestField.path, path)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        settings = try fields.read(RequestField.change)
        path = try fields.read(RequestField.path)
    }
}

extension KeychainSettings: ReplyBody {}
