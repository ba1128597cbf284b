import ChatelaineModel

/// Replaces the login keychain by an empty one, with the password that comes with the request.
///
/// The reply holds the path to which the former login keychain was renamed, or none. The new one becomes the default
/// keychain and the only one of the user in the search list; nothing is deleted. Passwords are sent as passcodes are
/// (``PasscodeMessage``).
package struct ResetKeychains: PasscodeMessage {
    package typealias Reply = KeychainPlaces

    package static let name = "a reset of keychains"
    package static let needs = RequestNeeds.knownCaller
    package static let secret = GivenSecret.keychainPassword

    package var operation: Operation { .resetKeychains }
    package var parts: [PasscodePart] { [.new] }

    package init() {}

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}
