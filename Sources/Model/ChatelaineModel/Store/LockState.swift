/// Whether the keys of the protection classes are available. The numbers are on the wire.
package enum LockState: UInt8, CaseIterable, Sendable {
    /// Not unlocked since the custodian started; only the Always classes are open.
    case beforeFirstUnlock = 1
    case unlocked = 2
    /// Locked after an unlock; the AfterFirstUnlock classes are open too.
    case locked = 3

    /// The state in words, for people and in JSON, where it never changes.
    package var text: String {
        switch self {
        case .beforeFirstUnlock: "before first unlock"
        case .unlocked: "unlocked"
        case .locked: "locked"
        }
    }
}

/// The result of a request with a passcode. The numbers are on the wire.
package enum PasscodeOutcome: UInt8, CaseIterable, Sendable {
    /// The passcode was right, and the request was carried out.
    case done = 1
    /// The passcode was wrong; nothing was changed, and the failure counts.
    case wrong = 2
    /// The passcode was neither checked nor counted, since the delay after earlier failures is not over; the report has
    /// the delay.
    case delayed = 3
}

extension LockState: CBORValue {}
extension PasscodeOutcome: CBORValue {}
