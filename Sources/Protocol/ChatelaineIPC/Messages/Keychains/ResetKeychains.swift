import ChatelaineModel

/// Begins anew with an empty login keychain, which has the password that comes with it. The path to which the former one was renamed follows, or none.
///
/// It is the default then, and all that is searched of the user's own; nothing is deleted. Passwords come as passcodes do (``PasscodeMessage``).
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
