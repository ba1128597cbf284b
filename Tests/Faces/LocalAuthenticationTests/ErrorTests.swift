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

    /// As the compiler's own bridge of imported errors does on Apple's platforms.
    @Test(arguments: codes) func itIsCastIntoAnObjectAndBack(code: LAError.Code) throws {
        let made = NSError(domain: LAErrorDomain, code: code.rawValue, userInfo: ["more": "said"])
        let own = LAError(code, userInfo: ["more": "said"])
        for thrown in [made, own, own._nsError] as [any Error] {
            let error = try #require(thrown as? LAError)
            #expect(thrown is LAError && code ~= thrown && error.code == code)
            #expect(error.userInfo["more"] as? String == "said" && error.errorUserInfo["more"] as? String == "said")
            let object = try #require((thrown as Any) as? NSError)
            #expect(object.domain == LAErrorDomain && object.code == code.rawValue)
            #expect(thrown.localizedDescription == object.localizedDescription)
            #expect(Self.isCaught(thrown, code) == [true, true, true])
        }
        let optional: NSError? = made
        #expect((optional as? LAError)?.code == code && LAError(_nsError: made)._nsError === made)
    }

    /// Whether an error is caught by its code, as an `LAError` and as an object.
    private static func isCaught(_ error: any Error, _ code: LAError.Code) -> [Bool] {
        func thrown() throws { throw error }
        var isCaught = [false, false, false]
        do { try thrown() } catch code { isCaught[0] = true } catch {}
        do { try thrown() } catch let error as LAError where error.code == code { isCaught[1] = true } catch {}
        do { try thrown() } catch let error as NSError { isCaught[2] = error.code == code.rawValue }
        return isCaught
    }

    @Test func otherErrorsAreNone() {
        let others = [
            NSError(domain: NSOSStatusErrorDomain, code: -2), NSError(domain: LAErrorDomain, code: 99),
            NSError(domain: LAErrorDomain, code: 0),
        ]
        for other in others {
            let thrown: any Error = other
            #expect(thrown as? LAError == nil && !(thrown is LAError))
        }
        #expect(LAError(_nsError: others[1]).code == .authenticationFailed, "nobody is let in by it")
        #expect(LAError(.userCancel).hashValue == LAError(.userCancel).hashValue)
    }

    /// What calls deliver is an object, which every cast and pattern matches.
    @Test func callsDeliverObjects() async throws {
        let context = LAContext()
        context.invalidate()
        var object: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &object))
        #expect((object as? LAError)?.code == .invalidContext)
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
        let evaluations: [() async throws -> Bool] = [
            { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") },
            { try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "x") },
        ]
        for evaluation in evaluations {
            do {
                _ = try await evaluation()
                Issue.record("a context that was invalidated is of use")
            } catch {
                #expect(type(of: error) is NSError.Type)
                #expect(Self.isCaught(error, .invalidContext) == [true, true, true])
            }
        }
        let replied: (any Error)? = await withCheckedContinuation { continuation in
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") {
                continuation.resume(returning: $1)
            }
        }
        #expect(replied.map { type(of: $0) is NSError.Type } == true && (replied as? LAError)?.code == .invalidContext)
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
