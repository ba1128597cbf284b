import ChatelaineModel
import Foundation
import LocalAuthentication
import Testing

/// Tests that code written for Apple's platforms compiles.
///
/// The code is not called here, which would take a daemon and a person (`ContextTests`).
struct SourceTests {
    @MainActor private final class Model {
        var isUnlocked = false
        let context = LAContext()
        weak var delegate: AnyObject?
    }

    private func callbacks() {
        let context = LAContext()
        var error: NSError?
        context.localizedCancelTitle = "Enter password"
        context.touchIDAuthenticationAllowableReuseDuration = 10
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
            if let error, error.code == LAError.passcodeNotSet.rawValue { return }
            switch error?.code {
            case LAError.biometryNotEnrolled.rawValue, LAError.biometryLockout.rawValue: return
            default: return
            }
        }
        _ = context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open the notes") { success, error in
            guard let error = error as? LAError else { return }
            switch error.code {
            case .userCancel, .appCancel, .systemCancel: break
            case .userFallback: break
            case LAError.biometryNotAvailable: break
            default: print(error.localizedDescription, success)
            }
        }
        switch context.biometryType {
        case .touchID, .faceID: break
        case .none: break
        default: break
        }
    }

    @MainActor private func concurrency(_ model: Model) async {
        do {
            model.isUnlocked = try await model.context.evaluatePolicy(
                .deviceOwnerAuthentication, localizedReason: "Open the notes")
            let context = LAContext()
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open the notes")
        } catch LAError.userCancel {
            return
        } catch let error as LAError where error.code == .userFallback {
            return
        } catch { return }
    }

    private func items() -> [String: Any] {
        let context = LAContext()
        context.interactionNotAllowed = true
        context.localizedReason = "Sign in"
        context.setCredential(Data("open sesame".utf8), type: .applicationPassword)
        guard
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.userPresence, .applicationPassword], nil)
        else { return [:] }
        context.evaluateAccessControl(access, operation: .useItem, localizedReason: "Sign in") { _, _ in }
        return [
            kSecClass as String: kSecClassGenericPassword, kSecUseAuthenticationContext as String: context,
            kSecAttrAccessControl as String: access,
        ]
    }

    /// A context as programs make it for their own tests.
    private class MockContext: LAContext {
        var canEvaluate = true
        var outcome: Result<Bool, any Error> = .success(true)

        override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
            if !canEvaluate {
                error?.pointee = NSError(domain: LAErrorDomain, code: LAError.biometryNotEnrolled.rawValue)
            }
            return canEvaluate
        }

        // As programs write it that know nothing of Sendable.
        override func evaluatePolicy(
            _ policy: LAPolicy, localizedReason: String, reply: @escaping (Bool, (any Error)?) -> Void
        ) { reply(canEvaluate, canEvaluate ? nil : LAError(.authenticationFailed)) }

        override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
            try outcome.get()
        }

        override var biometryType: LABiometryType { .faceID }

        override var interactionNotAllowed: Bool {
            get { true }
            set {}
        }
    }

    @Test func aMockIsWhatItSays() async throws {
        let mock = MockContext()
        let context: LAContext = mock
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x"))
        mock.outcome = .failure(LAError(.userFallback))
        await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x")
        }
        mock.canEvaluate = false
        var error: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect(error?.code == -7 && error?.domain == "com.apple.LocalAuthentication")
        #expect(context.biometryType == .faceID && context.interactionNotAllowed)
    }

    /// An invalidated context says so before anything else, and without a daemon.
    @Test func anInvalidatedContextEvaluatesNothing() async throws {
        let context = LAContext()
        context.invalidate()
        var codes: [Int] = []
        do {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthenticationWithCompanion, localizedReason: "x")
        } catch { codes.append((error as NSError).code) }
        // A protection class alone needs no person, as that of an item which was stored so.
        let control = SecAccessControl(AccessControl(protection: .whenUnlocked))
        do {
            _ = try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "x")
        } catch { codes.append((error as NSError).code) }
        #expect(codes == [-10, -10])
    }

    /// Settings keep their values without a person or a daemon.
    @Test func settingsStay() {
        let context = LAContext()
        #expect(context.localizedReason.isEmpty && !context.interactionNotAllowed)
        #expect(context.localizedCancelTitle == nil && context.localizedFallbackTitle == nil)
        context.localizedReason = "why"
        context.localizedCancelTitle = "No"
        context.localizedFallbackTitle = ""
        context.interactionNotAllowed = true
        for duration in [10, -1, 1e9, .infinity, .nan, 0] {
            context.touchIDAuthenticationAllowableReuseDuration = duration
        }
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(context.localizedReason == "why" && context.interactionNotAllowed)
        #expect(context.localizedCancelTitle == "No" && context.localizedFallbackTitle?.isEmpty == true)
        #expect(context.biometryType == .none && context.evaluatedPolicyDomainState == nil)
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data("x".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data(), type: .applicationPassword))
        #expect(!context.setCredential(Data(count: 1025), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword), "a refused one changes nothing")
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        context.invalidate()
        #expect(!context.setCredential(Data("x".utf8), type: .applicationPassword))
        var error: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error) && error?.code == -10)
    }
}
