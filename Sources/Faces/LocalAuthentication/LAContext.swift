import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// The longest time in seconds for which a match of a biometric can be reused.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// A place for an error; Foundation declares this name on Apple's platforms only.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// A context of authentication: what a person has shown to a program, and how dialogs ask the person.
///
/// A Security call with a context under `kSecUseAuthenticationContext` does not ask again for what was shown in the
/// context. What is shown to that call then counts in the context, for 5 minutes at the most. It stops counting when
/// the context ends or is invalidated, or the device is locked. Only the process that made a context can use it.
open class LAContext: NSObject {
    private let state = ContextState()

    public override init() { super.init() }

    // MARK: How a person is asked

    /// The reason that a dialog shows where a Security call gives none; it appears as the program's own words.
    open var localizedReason: String {
        get { state.change { $0.reason } }
        set { state.change { $0.reason = newValue } }
    }

    /// The program's title for the button that ends the dialog of an evaluation; nil for the system's own word.
    ///
    /// The system's word stays visible beside the title. Dialogs of Security calls show the system's word alone.
    open var localizedCancelTitle: String? {
        get { state.change { $0.cancelTitle } }
        set { state.change { $0.cancelTitle = newValue } }
    }

    /// The program's title for the button for another way than a biometric, in the dialog of an evaluation.
    ///
    /// An empty text removes the button; nil means the system's own word, which dialogs of Security calls show.
    open var localizedFallbackTitle: String? {
        get { state.change { $0.fallbackTitle } }
        set { state.change { $0.fallbackTitle = newValue } }
    }

    /// Whether the context forbids to ask a person.
    ///
    /// An evaluation that needs a person then fails with ``LAError/Code/notInteractive``, and a Security call with
    /// `errSecInteractionNotAllowed`.
    open var interactionNotAllowed: Bool {
        get { state.change { $0.isInteractionForbidden } }
        set { state.change { $0.isInteractionForbidden = newValue } }
    }

    /// The time in seconds for which a match of a biometric in another context of this program counts in this one.
    ///
    /// Within that time nobody is asked. The default is 0, for no reuse; the longest time is
    /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
    ///
    /// On Apple's platforms the reused match is the one that unlocked the device. Here the passcode unlocks it.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.change(\.reuse) }
        set {
            state.change { $0.reuse = newValue }
            let seconds = min(max(newValue, 0), LATouchIDAuthenticationMaximumAllowableReuseDuration)
            state.session.allowReuse(seconds: UInt32(seconds.isNaN ? 0 : seconds.rounded(.up)))
        }
    }

    // MARK: What there is

    /// Returns whether a person could satisfy a policy now; nobody is asked.
    ///
    /// - Parameter error: receives the reason why not; nil where the policy can be satisfied.
    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let obstacle = state.obstacle(to: policy)
        error?.pointee = obstacle?._nsError
        return obstacle == nil
    }

    /// The kind of biometric that the machine reads, from the last ``canEvaluatePolicy(_:error:)``;
    /// ``LABiometryType/none`` before.
    open var biometryType: LABiometryType {
        switch state.change(\.report)?.kind {
        case .fingerprint: .touchID
        case nil: .none
        }
    }

    /// Data that changes when other biometrics are enrolled.
    ///
    /// It is nil before ``canEvaluatePolicy(_:error:)`` has found that a policy can be satisfied, and where no
    /// biometrics are enrolled. Each program gets different data.
    open var evaluatedPolicyDomainState: Data? {
        state.change { $0.wasPossible ? $0.report?.domainState : nil }.map { Data($0.array) }
    }

    /// The kind of biometric and the data that changes with the enrolled ones.
    ///
    /// Each read asks the daemon; no person is asked.
    open var domainState: LADomainState {
        let canEvaluate = state.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == nil
        return LADomainState(biometryType: biometryType, stateHash: canEvaluate ? evaluatedPolicyDomainState : nil)
    }

    // MARK: Asking

    /// Asks a person to satisfy a policy; a policy that was satisfied in this context and still counts asks nobody.
    ///
    /// - Parameters:
    ///   - localizedReason: the program's reason, which must not be empty. A dialog shows it as the program's own
    ///     words.
    ///   - reply: called with true, or with false and an ``LAError``, on a thread of its own.
    ///
    /// As with Apple's headers, code that captures what is not `Sendable` gets a warning at the most.
    @preconcurrency open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        state.begin(question(localizedReason), reply) { state, question throws(LAError) in
            guard let policy = policy.evaluated else { throw LAError(.companionNotAvailable) }
            return try state.evaluate(EvaluatePolicy(policy, question))
        }
    }

    /// As ``evaluatePolicy(_:localizedReason:reply:)``, but throws the ``LAError``.
    ///
    /// Like Apple's, the method continues on its caller's actor.
    @discardableResult
    nonisolated(nonsending) open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isSatisfied, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isSatisfied))
            }
        }
    }

    /// Satisfies an access control for an operation, by a person or by the program's password.
    ///
    /// Calls with this context about items with that access control then ask nobody.
    ///
    /// - Parameters: as of ``evaluatePolicy(_:localizedReason:reply:)``.
    @preconcurrency open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let control = accessControl.control
        state.begin(question(localizedReason), reply) { state, question throws(LAError) in
            // A protection class alone needs no authentication.
            guard let constraints = control.constraints else { return .satisfied }
            return try state.evaluate(EvaluateAccessControl(constraints, for: operation.use, question))
        }
    }

    /// As ``evaluateAccessControl(_:operation:localizedReason:reply:)``, but throws the ``LAError``.
    ///
    /// Like Apple's, the method continues on its caller's actor.
    @discardableResult
    nonisolated(nonsending) open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason) {
                isSatisfied, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isSatisfied))
            }
        }
    }

    /// The question for a dialog; nil without a reason.
    private func question(_ reason: String) -> AuthenticationQuestion? {
        guard !reason.isEmpty else { return nil }
        return AuthenticationQuestion(
            reason: OperationPrompt(reason), allowsInteraction: !interactionNotAllowed,
            cancelTitle: localizedCancelTitle.map { OperationPrompt($0) },
            fallbackTitle: localizedFallbackTitle.map { OperationPrompt($0) })
    }

    // MARK: What a program gives

    /// Gives the context a credential that satisfies access controls, or removes it.
    ///
    /// - Parameter credential: for ``LACredentialType/applicationPassword`` 1 to 1024 bytes; nil to remove it.
    ///   Whether the password is right shows when an item is opened.
    /// - Returns: false where the credential is refused, or the context was invalidated; nothing changes then.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        switch type {
        case .applicationPassword: state.session.setPassword(credential.map { SecretBytes($0) })
        }
    }

    /// Returns whether the context has a credential of this type.
    @discardableResult
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        switch type {
        case .applicationPassword: state.session.hasPassword
        }
    }

    // MARK: Its end

    /// Ends the context and forgets everything that was shown and given.
    ///
    /// Evaluations that wait for a person fail with ``LAError/Code/appCancel``, and later ones with
    /// ``LAError/Code/invalidContext``. Later Security calls fail with `errSecAuthFailed`.
    open func invalidate() { state.session.invalidate() }
}

extension LAContext: AuthenticatingContext {
    package var contextSettings: any ContextSettings { state }
}
