/// How the authentication failed that the use of a key needs, as Apple tells it to programs.
///
/// Statuses do not tell these failures apart from others: `errSecInteractionNotAllowed` also says that a key is locked,
/// and `errSecAuthFailed` that the program may not use it. The numbers are on the wire
/// (`Documentation/formats/wire.md`).
package enum AuthenticationFailure: UInt8, CaseIterable, Sendable {
    /// What the person gave was wrong each time.
    case failed = 1
    /// The person left the dialog.
    case cancelledByPerson = 2
    /// The person wants another way than a biometric.
    case fallback = 3
    /// Nobody answered in time, or the device was locked.
    case cancelledBySystem = 4
    /// A person has to be asked, and cannot be or must not be.
    case notInteractive = 5

    /// The domain of Apple's error, `LAErrorDomain`.
    package static let domain = "com.apple.LocalAuthentication"

    /// The code of Apple's error, which is one of `LAError.Code`.
    package var code: Int {
        switch self {
        case .failed: -1
        case .cancelledByPerson: -2
        case .fallback: -3
        case .cancelledBySystem: -4
        case .notInteractive: -1004
        }
    }
}
