import ChatelaineIPC
import ChatelaineModel

/// Reports whether a finger can replace the passcode; the finding is for information and never a problem.
struct FingerprintCheck {
    /// Longer than enclaved waits for a reader, and short enough not to annoy anyone.
    static let patienceMilliseconds: Int32 = 4_000
    private static let name = "device.fingerprint"

    let keychain: any KeychainService
    var patienceMilliseconds = FingerprintCheck.patienceMilliseconds

    func findings() -> [Finding] {
        let keychain = keychain
        let call = Background<AuthenticationReport?> { try? keychain.authentication() }
        switch call.wait(milliseconds: patienceMilliseconds) {
        case .some(let report?): return [Self.finding(report)]
        // Another check reports why the daemon does not answer.
        case .some(nil): return []
        case nil: return [Finding(Self.name, .ok, "fprintd was asked for a fingerprint reader, and does not answer")]
        }
    }

    static func finding(_ report: AuthenticationReport) -> Finding {
        let text =
            switch report.biometry {
            case .notAvailable: "there is no fingerprint reader, or fprintd does not answer; the passcode does without"
            case .notEnrolled: "there is a fingerprint reader, and no finger is enrolled (fprintd-enroll does that)"
            case .lockedOut where !report.hasPasscode:
                "there is a fingerprint reader; it is used once there is a passcode (security passcode set)"
            case .lockedOut: "there is a fingerprint reader; it is used again once the passcode was given"
            case .ready: "a finger on the reader does as well as the passcode"
            }
        return Finding(name, .ok, text)
    }
}
