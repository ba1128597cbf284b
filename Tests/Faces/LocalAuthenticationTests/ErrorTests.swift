import Foundation
import LocalAuthentication
import Testing

/// Tests that errors have Apple's numbers and domain, as Swift errors and as objects.
struct ErrorTests {
    private static let codes: [LAError.Code] = [
        .authenticationFailed, .userCancel, .userFallback, .systemCancel, .passcodeNotSet, .biometryNotAvailable,
        .biometryNotEnrolled, .biometryLockout, .appCancel, .invalidContext, .companionNotAvailable,
        .biometryDisconnected, .notInteractive,
    ]

    @Test(arguments: codes) func eachIsAnObjectToo(code: LAError.Code) {
        let error = LAError(code, userInfo: ["more": "said"])
        let object = error as NSError
        #expect(object.domain == LAErrorDomain && object.code == code.rawValue)
        #expect(object.userInfo["more"] as? String == "said")
        #expect(object.localizedDescription == error.localizedDescription && !error.localizedDescription.isEmpty)
        #expect(error.errorCode == code.rawValue && LAError.errorDomain == LAErrorDomain)
        #expect(error == LAError(code, userInfo: ["more": "said"]) && error != LAError(code, userInfo: ["more": "x"]))
        #expect(Set([error, error]).count == 1)
        let thrown: any Error = error
        #expect((thrown as? LAError)?.code == code)
        #expect(code ~= thrown)
        let mine = LAError(code, userInfo: [NSLocalizedDescriptionKey: "mine"])
        #expect(mine.localizedDescription == "mine")
    }

    @Test func numbersAreApples() {
        #expect(Self.codes.map(\.rawValue) == [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -13, -1004])
        #expect(LAError.touchIDLockout == LAError.biometryLockout && LAError.watchNotAvailable.rawValue == -11)
        #expect(LAPolicy(rawValue: 1) == .deviceOwnerAuthenticationWithBiometrics)
        #expect(LAPolicy(rawValue: 2) == .deviceOwnerAuthentication && LAPolicy(rawValue: 5) == nil)
        #expect(LAAccessControlOperation.useKeyKeyExchange.rawValue == 5 && LABiometryType.opticID.rawValue == 4)
        #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
    }
}
