import ChatelaineModel
import EnclaveProtocol

/// Whoever looks at what was typed in a dialog: the key custodian, which gets it by a pipe.
protocol PasscodeChecking: Sendable {
    /// How it stands before anything is typed.
    func standing() throws(KeychainError) -> PasscodeStanding

    /// Has it looked at, which takes as long as it takes.
    ///
    /// - Parameter pipe: the reading end, with all of it inside and nobody at the other end. It stays the caller's, and is not read here.
    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict
}

/// How it stands with a passcode.
struct PasscodeStanding: Sendable {
    var hasPasscode = true
    /// Tries until there is a delay; nil where nobody counts.
    var triesLeft: UInt32?
    /// Milliseconds until the next one is looked at.
    var delay: UInt64 = 0
}

/// What came of what was typed.
enum PasscodeVerdict: Sendable {
    case right
    case wrong(PasscodeStanding)
    /// It was not looked at: too many were wrong before.
    case delayed(PasscodeStanding)
}

extension PasscodeStanding {
    init(_ report: PasscodeReport) {
        hasPasscode = report.hasPasscode
        let tries = EnclaveWire.triesBeforeDelay
        triesLeft = report.failures < tries ? tries - report.failures : nil
        delay = report.delay
    }
}
