import EnclaveProtocol

/// Counts how many biometrics may still fail before the passcode is needed.
///
/// None are checked before the passcode was right once, because a restarted custodian has lost its count.
struct MatchTries: Hashable, Sendable {
    private(set) var left: UInt32 = 0

    var isLockedOut: Bool { left == 0 }

    mutating func noteFailure() { if left > 0 { left -= 1 } }

    /// A match restarts the count, but does not end a lockout; only the right passcode does.
    mutating func noteMatch() { if left > 0 { left = EnclaveWire.matchTries } }

    mutating func notePasscode() { left = EnclaveWire.matchTries }
}
