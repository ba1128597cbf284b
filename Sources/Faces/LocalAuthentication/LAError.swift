import Foundation

/// The domain of this module's errors.
public let LAErrorDomain: String = "com.apple.LocalAuthentication"

/// The reason why an authentication failed or is impossible.
public struct LAError: CustomNSError, Hashable, Sendable {
    /// The kind of failure; each code is also a member of ``LAError`` itself.
    public enum Code: Int, Sendable {
        /// The person exhausted the allowed attempts with a wrong passcode or biometric.
        case authenticationFailed = -1
        /// The person closed the dialog.
        case userCancel = -2
        /// The person chose the program's own way, by the dialog's other button.
        case userFallback = -3
        /// The system closed the dialog: nobody answered in time, or the device was locked.
        case systemCancel = -4
        /// No passcode is set.
        case passcodeNotSet = -5
        /// There is no biometric reader, or none that can be used.
        case touchIDNotAvailable = -6
        /// No biometrics are enrolled.
        case touchIDNotEnrolled = -7
        /// Too many biometrics did not match; the passcode ends the lockout.
        case touchIDLockout = -8
        /// The program invalidated the context while the evaluation was waiting.
        case appCancel = -9
        /// The context was invalidated before the call.
        case invalidContext = -10
        /// No device of the person is nearby.
        case companionNotAvailable = -11
        /// The reader was disconnected, or somebody else uses it.
        case biometryDisconnected = -13
        /// A person must be asked, and this is impossible or forbidden.
        case notInteractive = -1004

        public static var biometryNotAvailable: Code { .touchIDNotAvailable }
        public static var biometryNotEnrolled: Code { .touchIDNotEnrolled }
        public static var biometryLockout: Code { .touchIDLockout }
        public static var watchNotAvailable: Code { .companionNotAvailable }

        /// Makes `catch LAError.userCancel` match an error of that code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? LAError)?.code == code }
    }

    public static var errorDomain: String { LAErrorDomain }

    public static var authenticationFailed: Code { .authenticationFailed }
    public static var userCancel: Code { .userCancel }
    public static var userFallback: Code { .userFallback }
    public static var systemCancel: Code { .systemCancel }
    public static var passcodeNotSet: Code { .passcodeNotSet }
    public static var touchIDNotAvailable: Code { .touchIDNotAvailable }
    public static var touchIDNotEnrolled: Code { .touchIDNotEnrolled }
    public static var touchIDLockout: Code { .touchIDLockout }
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    public static var biometryLockout: Code { .biometryLockout }
    public static var biometryDisconnected: Code { .biometryDisconnected }
    public static var appCancel: Code { .appCancel }
    public static var invalidContext: Code { .invalidContext }
    public static var companionNotAvailable: Code { .companionNotAvailable }
    public static var watchNotAvailable: Code { .watchNotAvailable }
    public static var notInteractive: Code { .notInteractive }

    public let code: Code
    private let error: NSError

    /// - Parameter userInfo: further information; a description is always there.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        let described = [NSLocalizedDescriptionKey: code.sentence as Any].merging(userInfo) { $1 }
        error = NSError(domain: LAErrorDomain, code: code.rawValue, userInfo: described)
    }

    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { error.userInfo }
    public var localizedDescription: String { error.localizedDescription }

    public static func == (left: LAError, right: LAError) -> Bool { left.error.isEqual(right.error) }

    // Foundation's own hash of an error crashes on this platform.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The error as an object.
    var object: NSError { error }
}

extension LAError.Code {
    /// The sentence for people.
    fileprivate var sentence: String {
        switch self {
        case .authenticationFailed: "What was given to show who is there was not right."
        case .userCancel: "The person who was asked went away from the dialog."
        case .userFallback: "The person who was asked wants to show in another way who they are."
        case .systemCancel: "The dialog was taken back before anybody had answered."
        case .passcodeNotSet: "There is no passcode; “security passcode set” sets one."
        case .touchIDNotAvailable: "There is no reader of fingerprints that can be used."
        case .touchIDNotEnrolled: "No fingerprints are enrolled."
        case .touchIDLockout: "Too many fingerprints did not match; the passcode is needed."
        case .appCancel: "The program ended the authentication while it was waiting."
        case .invalidContext: "The program has ended this context before."
        case .companionNotAvailable: "No device of the same person's is nearby."
        case .biometryDisconnected: "The reader of fingerprints is not there any more."
        case .notInteractive: "A person would have to be asked, and cannot be."
        }
    }
}
