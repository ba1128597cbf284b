import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// The state of a context, for any thread.
///
/// It is apart from ``LAContext``, since programs may derive classes from that.
final class ContextState: ContextSettings {
    struct Values: Sendable {
        var reason = ""
        var cancelTitle: String?
        var fallbackTitle: String?
        var isInteractionForbidden = false
        var reuse: Double = 0
        /// The daemon's last report, and whether it allowed the policy that was asked about.
        var report: AuthenticationReport?
        var wasPossible = false
    }

    let session = AuthenticationSession()
    private let values = AdaptiveMutex(Values())

    var allowsInteraction: Bool { change { !$0.isInteractionForbidden } }

    var reason: OperationPrompt? { change { $0.reason.isEmpty ? nil : OperationPrompt($0.reason) } }

    func change<Result: Sendable>(_ body: (inout Values) -> Result) -> Result { values.withLock { body(&$0) } }

    /// Returns why a policy cannot be satisfied now; nil where it can.
    func obstacle(to policy: LAPolicy) -> LAError? {
        guard !session.isInvalidated else { return LAError(.invalidContext) }
        let report: AuthenticationReport
        do throws(KeychainError) { report = try KeychainClient.shared.authentication() } catch {
            return LAError(error)
        }
        let obstacle = policy.obstacle(in: report)
        change { values in
            values.report = report
            values.wasPossible = obstacle == nil
        }
        return obstacle
    }

    /// Sends an evaluation and waits for its outcome.
    ///
    /// One that asks nobody needs no connection of the context's own, unless the context has one.
    func evaluate<Message: RequestMessage>(
        _ request: Message
    ) throws(LAError) -> AuthenticationOutcome where Message.Reply == AuthenticationOutcome {
        let needsSession = request.onlyAsksPerson || session.isInUse
        let caller: any KeychainCalling = needsSession ? session : KeychainClient.shared
        do throws(KeychainError) { return try caller.call(request) } catch {
            throw session.isInvalidated ? LAError(.appCancel) : LAError(error)
        }
    }

    /// Runs an evaluation on a thread of its own, since it may wait for a person for minutes.
    ///
    /// The reply gets the error as an object, which `as? LAError` and `catch let error as NSError` both match.
    ///
    /// - Parameter question: nil where the program gave no reason; the evaluation then fails.
    func begin(
        _ question: AuthenticationQuestion?, _ reply: @escaping @Sendable (Bool, (any Error)?) -> Void,
        _ evaluation:
            @escaping @Sendable (ContextState, AuthenticationQuestion) throws(LAError) -> AuthenticationOutcome
    ) {
        Thread.detachNewThread { [self] in
            guard let question else {
                let reason = [NSLocalizedDescriptionKey: "An authentication needs a reason that is not empty."]
                let code = Int(Status.param.rawValue)
                return reply(false, NSError(domain: NSOSStatusErrorDomain, code: code, userInfo: reason))
            }
            do throws(LAError) {
                guard !session.isInvalidated else { throw LAError(.invalidContext) }
                if let error = LAError(try evaluation(self, question)) { throw error }
                reply(true, nil)
            } catch { reply(false, error._nsError) }
        }
    }
}

extension LAError {
    /// The error of an outcome; nil where the person has satisfied the policy.
    init?(_ outcome: AuthenticationOutcome) {
        let code: Code
        switch outcome {
        case .satisfied: return nil
        case .failed, .impossible: code = .authenticationFailed
        case .cancelledByPerson: code = .userCancel
        case .fallback: code = .userFallback
        case .cancelledBySystem: code = .systemCancel
        case .noPasscode: code = .passcodeNotSet
        case .noBiometry: code = .biometryNotAvailable
        case .noneEnrolled: code = .biometryNotEnrolled
        case .lockedOut: code = .biometryLockout
        case .notInteractive: code = .notInteractive
        }
        self.init(code)
    }

    /// The error of a failed call.
    init(_ error: KeychainError) {
        let code: Code =
            switch error.status {
            case .userCanceled: .userCancel
            case .interactionNotAllowed: .notInteractive
            case .authFailed: .authenticationFailed
            default: .systemCancel
            }
        let underlying = NSError(
            domain: NSOSStatusErrorDomain, code: Int(error.status.rawValue),
            userInfo: [NSLocalizedDescriptionKey: error.reason])
        self.init(code, userInfo: [NSUnderlyingErrorKey: underlying])
    }
}

extension LAPolicy {
    /// The policy for the key custodian; nil where nothing here could satisfy it.
    var evaluated: AuthenticationPolicy? {
        switch self {
        case .deviceOwnerAuthentication: .deviceOwnerAuthentication
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            .deviceOwnerAuthenticationWithBiometrics
        case .deviceOwnerAuthenticationWithCompanion: nil
        }
    }

    /// Returns why the policy cannot be satisfied on this machine; nil where it can.
    fileprivate func obstacle(in report: AuthenticationReport) -> LAError? {
        guard let policy = evaluated else { return LAError(.companionNotAvailable) }
        guard report.hasPasscode else { return LAError(.passcodeNotSet) }
        guard policy == .deviceOwnerAuthenticationWithBiometrics else { return nil }
        switch report.biometry {
        case .notAvailable: return LAError(.biometryNotAvailable)
        case .notEnrolled: return LAError(.biometryNotEnrolled)
        case .lockedOut: return LAError(.biometryLockout)
        case .ready: return nil
        }
    }
}

extension LAAccessControlOperation {
    var use: AccessControlUse {
        switch self {
        case .createItem: .createItem
        case .useItem: .useItem
        case .createKey: .createKey
        case .useKeySign: .useKeySign
        case .useKeyDecrypt: .useKeyDecrypt
        case .useKeyKeyExchange: .useKeyKeyExchange
        }
    }
}
