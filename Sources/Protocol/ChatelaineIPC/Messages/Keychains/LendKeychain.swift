import ChatelaineModel

/// Lends securityd the file of a keychain that lies elsewhere, opened for reading and writing, with its folder.
///
/// Both are announced as passcodes are. securityd writes to nothing but that file, and closes it when the keychain is locked, or soon where nobody unlocks it.
/// `errSecInvalidKeychain` for what is no such file, `errSecNoSuchKeychain` where securityd sees none there, `errSecNotAvailable` where as many are unlocked
/// as may be.
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
