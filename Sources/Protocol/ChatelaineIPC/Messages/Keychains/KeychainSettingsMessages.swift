import ChatelaineModel

/// Asks when a file keychain locks by itself. The reply is its ``KeychainSettings``.
///
/// Only the keychain's keys prove its settings, so for a locked keychain a person is asked for the password. Errors:
/// `errSecInteractionNotAllowed` where nobody can be asked, `errSecUserCanceled`, `errSecAuthFailed`; and those of
/// ``KeychainCommand``.
package struct ReadKeychainSettings: Sendable, Equatable {
    package let path: String
    package let authenticationUI: AuthenticationUI

    package init(path: String, _ ui: AuthenticationUI = .allow) {
        self.path = path
        authenticationUI = ui
    }
}

extension ReadKeychainSettings: RequestMessage {
    package typealias Reply = KeychainSettings

    package static let name = "a look at the settings of a keychain"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .readKeychainSettings }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.path, path)
        writer.write(RequestField.authenticationUI, authenticationUI)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
        authenticationUI = try fields.read(RequestField.authenticationUI)
    }
}

/// Sets when a file keychain locks by itself, and restarts its timer.
///
/// The reply is empty. Errors: those of ``ReadKeychainSettings``.
package struct SetKeychainSettings: Sendable, Equatable {
    package let path: String
    package let settings: KeychainSettings
    package let authenticationUI: AuthenticationUI

    package init(path: String, to settings: KeychainSettings, _ ui: AuthenticationUI = .allow) {
        self.path = path
        self.settings = settings
        authenticationUI = ui
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
        writer.write(RequestField.authenticationUI, authenticationUI)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        settings = try fields.read(RequestField.change)
        path = try fields.read(RequestField.path)
        authenticationUI = try fields.read(RequestField.authenticationUI)
    }
}

extension KeychainSettings: ReplyBody {}
