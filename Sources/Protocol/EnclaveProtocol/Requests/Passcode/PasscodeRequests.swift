import ChatelaineModel

/// Sets the first passcode. The classes that it protects get new keys, and their former keys are superseded.
///
/// `errSecParam` where there is a passcode.
package struct SetPasscode: EnclavePasscodeRequest, EnclaveBareRequest {
    package static let operation = EnclaveOperation.setPasscode
    package static let isTry = false
    package static let changesKeys = true

    package let store: StoreIdentifier
    package var origin: PasscodeOrigin { .agent }

    package init(_ store: StoreIdentifier) { self.store = store }

    /// A program brings the first passcode, and may be slow to.
    package var passcodes: RequestPasscodes? { RequestPasscodes(from: .agent, at: .program) }
}

/// Changes the passcode; the old and the new one come by a descriptor each. The keys stay.
package struct ChangePasscode: EnclavePasscodeRequest, EnclaveOriginRequest {
    package static let operation = EnclaveOperation.changePasscode
    package static let passcodeCount = 2

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}

/// Removes the passcode, and destroys the keys of the passcode class together with the items that they protect.
package struct RemovePasscode: EnclavePasscodeRequest, EnclaveOriginRequest {
    package static let operation = EnclaveOperation.removePasscode
    package static let changesKeys = true

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}

/// Checks whether a passcode is right, and does nothing else.
package struct VerifyPasscode: EnclavePasscodeRequest, EnclaveOriginRequest {
    package static let operation = EnclaveOperation.verifyPasscode

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}

/// Gets the state of the passcode, with the failures and the delay of the origin. No passcode comes with it.
package struct ReadPasscodeStatus: EnclaveOriginRequest {
    package typealias Reply = PasscodeReport

    package static let operation = EnclaveOperation.passcodeStatus

    package let origin: PasscodeOrigin
    package let store: StoreIdentifier

    package init(_ origin: PasscodeOrigin, in store: StoreIdentifier) { (self.origin, self.store) = (origin, store) }
}
