import ChatelaineModel

/// Lends securityd the file of a keychain outside of the keychain folders, opened for reading and writing, with its
/// folder.
///
/// Both descriptors are announced as passcodes are. securityd writes to that file alone. It closes the file when the
/// keychain is locked, or soon where nobody unlocks the keychain.
///
/// Errors:
///
/// - `errSecInvalidKeychain` where the descriptor is no such file.
/// - `errSecNoSuchKeychain` where securityd sees no file at the path.
/// - `errSecNotAvailable` where as many keychains are unlocked as are allowed.
package struct LendKeychain: Sendable, Equatable {
    package let path: String

    package init(path: String) { self.path = path }
}

extension LendKeychain: PasscodeMessage {
    package typealias Reply = NoReply

    package static let name = "a keychain's file"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation { .lendKeychain }
    package var parts: [PasscodePart] { [.keychainFile, .keychainFolder] }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
    }
}
