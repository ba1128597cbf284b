/// Whether the keys of protection classes are there. The numbers are on the wire.
package enum LockState: UInt8, CaseIterable, Sendable {
    /// Since the custodian started; nothing but the classes Always is open.
    case beforeFirstUnlock = 1
    case unlocked = 2
    /// Locked after an unlock: the classes AfterFirstUnlock are open, too.
    case locked = 3

    /// For people and in JSON, where it never changes.
    package var text: String {
        switch self {
        case .beforeFirstUnlock: "before first unlock"
        case .unlocked: "unlocked"
        case .locked: "locked"
        }
    }
}

/// What came of a passcode. The numbers are on the wire.
package enum PasscodeOutcome: UInt8, CaseIterable, Sendable {
    /// What was asked for is done.
    case done = 1
    /// It was not the right one; nothing was changed, and the failure is counted.
    case wrong = 2
    /// It was not looked at and not counted: too many were wrong, and the delay that is told with it is not over.
    case delayed = 3
}

extension LockState: CBORValue {}
extension PasscodeOutcome: CBORValue {}
