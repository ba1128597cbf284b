import ChatelaineModel

/// A request of which the kind, the keychain with its header, and the origin of a password say everything.
package protocol EnclaveHeaderRequest: EnclaveKeychainRequest {
    var header: KeychainHeader { get }
    init(_ header: KeychainHeader, _ origin: PasscodeOrigin, in store: StoreIdentifier)
}

extension EnclaveHeaderRequest {
    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, origin.program)
        writer.write(EnclaveField.header, header)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        let store: StoreIdentifier = try fields.read(EnclaveField.store)
        let origin = try fields.readOrigin()
        self.init(try fields.read(EnclaveField.header), origin, in: store)
    }
}

/// Opens the keychain's keys; also done where it is unlocked already. `errSecInteractionNotAllowed` where it was locked
/// meanwhile.
package struct UnlockKeychain: EnclaveHeaderRequest {
    package static let operation = EnclaveOperation.unlockKeychain

    package let header: KeychainHeader
    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ header: KeychainHeader, _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.header, self.origin, self.store) = (header, origin, store)
    }
}

/// Changes the password and keeps the keys; ``KeychainReport/header``. The keychain is unlocked afterwards.
///
/// The old and the new password come by a descriptor each. Any copy of the old header still opens with the old
/// password.
package struct ChangeKeychainPassword: EnclaveHeaderRequest {
    package static let operation = EnclaveOperation.changeKeychainPassword
    package static let passcodeCount = 2

    package let header: KeychainHeader
    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ header: KeychainHeader, _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.header, self.origin, self.store) = (header, origin, store)
    }
}

/// Checks whether a password is right, and does nothing else.
package struct VerifyKeychainPassword: EnclaveHeaderRequest {
    package static let operation = EnclaveOperation.verifyKeychainPassword

    package let header: KeychainHeader
    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ header: KeychainHeader, _ origin: PasscodeOrigin, in store: StoreIdentifier) {
        (self.header, self.origin, self.store) = (header, origin, store)
    }
}

/// Checks whether a secret is the keychain's password or the passcode of a keybag.
///
/// A secret that is neither counts as one wrong attempt at each. A secret that is one of them counts as no attempt at
/// the other.
package struct VerifyKeychainSecret: EnclaveKeychainRequest {
    package static let operation = EnclaveOperation.verifyKeychainSecret

    package let header: KeychainHeader
    package let origin: PasscodeOrigin
    package let keybag: StoreIdentifier
    package let store: StoreIdentifier

    package init(
        _ header: KeychainHeader, _ origin: PasscodeOrigin, orPasscodeOf keybag: StoreIdentifier,
        in store: StoreIdentifier
    ) {
        (self.header, self.origin, self.keybag, self.store) = (header, origin, keybag, store)
    }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(EnclaveField.store, store)
        writer.write(EnclaveField.subject, origin.program)
        writer.write(EnclaveField.header, header)
        writer.write(EnclaveField.keybag, keybag)
    }

    package init(fields: inout CBORMap) throws(CBORError) {
        store = try fields.read(EnclaveField.store)
        origin = try fields.readOrigin()
        header = try fields.read(EnclaveField.header)
        keybag = try fields.read(EnclaveField.keybag)
    }
}
