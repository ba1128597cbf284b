import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// How long a biometric that matched may count again at the most, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// Where an error goes; Foundation has this name on Apple's platforms alone.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// What a person has shown to a program, and how they are to be asked.
///
/// A call of Security that gets a context under `kSecUseAuthenticationContext` asks nobody for what was shown in it already, and what is shown
/// to that call counts in the context from then on: for 5 minutes at the most, until the context ends or is invalidated, or the device is locked. It is of use to the process
/// that made it and to no other.
open class LAContext: NSObject {
    private let state = ContextState()

    public override init() { super.init() }

    // MARK: How a person is asked

    /// The reason that a dialog shows where a call of Security gives none. It stands there as the program's own words.
    open var localizedReason: String {
        get { state.change { $0.reason } }
        set { state.change { $0.reason = newValue } }
    }

    /// What the program calls the button that ends the dialog; nil for the system's own word. It stands beside that.
    open var localizedCancelTitle: String? {
        get { state.change { $0.cancelTitle } }
        set { state.change { $0.cancelTitle = newValue } }
    }

    /// What the program calls the button for another way than a biometric; an empty text for no such button, nil for the system's own word.
    open var localizedFallbackTitle: String? {
        get { state.change { $0.fallbackTitle } }
        set { state.change { $0.fallbackTitle = newValue } }
    }

    /// Whether nobody is to be asked: what would need a person fails with ``LAError/Code/notInteractive``, calls of Security with
    /// `errSecInteractionNotAllowed`.
    open var interactionNotAllowed: Bool {
        get { state.change { $0.isInteractionForbidden } }
        set { state.change { $0.isInteractionForbidden = newValue } }
    }

    /// Seconds for which a biometric that matched in another context of this program counts in this one, so that nobody is asked; 0, as at first,
    /// for none, and ``LATouchIDAuthenticationMaximumAllowableReuseDuration`` at the most.
    ///
    /// On Apple's platforms it is the match that unlocked the device. Here the passcode does that.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.change(\.reuse) }
        set {
            state.change { $0.reuse = newValue }
            let seconds = min(max(newValue, 0), LATouchIDAuthenticationMaximumAllowableReuseDuration)
            state.session.allowReuse(seconds: UInt32(seconds.isNaN ? 0 : seconds.rounded(.up)))
        }
    }

    // MARK: What there is

    /// Whether a policy could be satisfied now, if a person did their part. Nobody is asked.
    ///
    /// - Parameter error: receives why it could not, nil where it could.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let obstacle = state.obstacle(to: policy)
        error?.pointee = obstacle?.object
        return obstacle == nil
    }

    /// What kind of biometric the machine reads, as ``canEvaluatePolicy(_:error:)`` has found; ``LABiometryType/none`` before.
    open var biometryType: LABiometryType {
        switch state.change(\.report)?.kind {
        case .fingerprint: .touchID
        case nil: .none
        }
    }

    /// Another one as soon as other biometrics are enrolled; nil before ``canEvaluatePolicy(_:error:)`` has found that a policy can be
    /// satisfied, and where no biometrics are enrolled. Each program has others.
    open var evaluatedPolicyDomainState: Data? {
        state.change { $0.wasPossible ? $0.report?.domainState : nil }.map { Data($0.array) }
    }

    /// The same with what kind of biometric it is of. It asks the daemon each time, and nobody besides.
    open var domainState: LADomainState {
        let canEvaluate = state.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == nil
        return LADomainState(biometryType: biometryType, stateHash: canEvaluate ? evaluatedPolicyDomainState : nil)
    }

    // MARK: Asking

    /// Has a person satisfy a policy. What was satisfied in this context before, and still counts, asks nobody.
    ///
    /// - Parameters:
    ///   - localizedReason: what the program wants it for; never empty. A dialog shows it as the program's own words.
    ///   - reply: gets true, or false and an ``LAError``, on a thread of its own.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        state.begin(question(localizedReason), reply) { state, question throws(LAError) in
            guard let policy = policy.evaluated else { throw LAError(.companionNotAvailable) }
            return try state.evaluate(EvaluatePolicy(policy, question))
        }
    }

    /// The same; throws the ``LAError``. It goes on where its caller is, as Apple's does.
    nonisolated(nonsending) open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isSatisfied, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isSatisfied))
            }
        }
    }

    /// Has a person, or the program's password, satisfy an access control for an operation. Calls about items that have it, with this
    /// context, then ask nobody.
    ///
    /// - Parameters: as of ``evaluatePolicy(_:localizedReason:reply:)``.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let control = accessControl.control
        state.begin(question(localizedReason), reply) { state, question throws(LAError) in
            // A class alone asks for nothing that could be shown.
            guard let constraints = control.constraints else { return .satisfied }
            return try state.evaluate(EvaluateAccessControl(constraints, for: operation.use, question))
        }
    }

    /// The same; throws the ``LAError``. It goes on where its caller is, as Apple's does.
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

    /// nil without a reason.
    private func question(_ reason: String) -> AuthenticationQuestion? {
        guard !reason.isEmpty else { return nil }
        return AuthenticationQuestion(
            reason: OperationPrompt(reason), allowsInteraction: !interactionNotAllowed,
            cancelTitle: localizedCancelTitle.map { OperationPrompt($0) },
            fallbackTitle: localizedFallbackTitle.map { OperationPrompt($0) })
    }

    // MARK: What a program gives

    /// Gives the context something that satisfies access controls by itself, or takes it away.
    ///
    /// - Parameter credential: of ``LACredentialType/applicationPassword`` 1 to 1024 bytes; nil to take it away. That it is the right one shows when
    ///   an item is opened.
    /// - Returns: false where it is not taken, or the context was invalidated; nothing has changed then.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        switch type {
        case .applicationPassword: state.session.setPassword(credential.map { SecretBytes($0) })
        }
    }

    /// Whether the context has such a thing.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        switch type {
        case .applicationPassword: state.session.hasPassword
        }
    }

    // MARK: Its end

    /// Forgets everything that was shown and given. What waits for a person ends with ``LAError/Code/appCancel``; later calls fail with
    /// ``LAError/Code/invalidContext``, those of Security with `errSecAuthFailed`.
    open func invalidate() { state.session.invalidate() }
}

extension LAContext: AuthenticatingContext {
    package var callContext: CallContext {
        CallContext(
            state.session, allowsInteraction: !interactionNotAllowed,
            reason: localizedReason.isEmpty ? nil : OperationPrompt(localizedReason))
    }
}
