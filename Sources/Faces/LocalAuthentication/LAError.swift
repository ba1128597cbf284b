import Foundation

/// The domain of this module's errors.
public let LAErrorDomain: String = "com.apple.LocalAuthentication"

/// The reason why an authentication failed or is impossible.
///
/// As on Apple's platforms, an `NSError` of this domain and an `LAError` can be cast into each other
/// (`LAError+NSError.swift`). Calls deliver the object, which both casts match.
public struct LAError: _BridgedStoredNSError, Sendable {
    /// The kind of failure; each code is also a member of ``LAError`` itself.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        public typealias _ErrorType = LAError

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
    }

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

    public let _nsError: NSError

    /// - Parameter error: an error of ``LAErrorDomain``.
    public init(_nsError error: NSError) { _nsError = error }

    /// - Parameter userInfo: further information; a description is always there.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let described = [NSLocalizedDescriptionKey: code.sentence as Any].merging(userInfo) { $1 }
        _nsError = NSError(domain: LAErrorDomain, code: code.rawValue, userInfo: described)
    }

    /// The kind of failure.
    ///
    /// An object whose code is none of these becomes an `LAError` only by ``init(_nsError:)``, and is then an
    /// authentication that failed.
    public var code: Code { Code(rawValue: _nsError.code) ?? .authenticationFailed }

    public var localizedDescription: String { _nsError.localizedDescription }

    // Foundation's own hash of an error crashes on this platform.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }
    public var hashValue: Int { errorCode.hashValue }
}

extension LAError.Code {
    /// The sentence for people.
    fileprivate var sentence: String {
        switch self {
        case .authenticationFailed: "The passcode or the fingerprint was wrong."
        case .userCancel: "The person cancelled the dialog."
        case .userFallback: "The person chose another way than the one that was asked for."
        case .systemCancel: "The system took the dialog away before anybody answered."
        case .passcodeNotSet: "There is no passcode; “security passcode set” sets one."
        case .touchIDNotAvailable: "There is no reader of fingerprints that can be used."
        case .touchIDNotEnrolled: "No fingerprints are enrolled."
        case .touchIDLockout: "Too many fingerprints did not match; the passcode is needed."
        case .appCancel: "The program cancelled the authentication."
        case .invalidContext: "The program invalidated this context before."
        case .companionNotAvailable: "No companion device is nearby."
        case .biometryDisconnected: "The reader of fingerprints was disconnected."
        case .notInteractive: "A person has to be asked, and the call forbids it or no dialog can be shown."
        }
    }
}
