import EnclaveProtocol

/// How many biometrics may still fail before the passcode is needed.
///
/// None are looked at before the passcode was right once: a custodian that was ended and started again has forgotten what it had counted.
struct MatchTries: Hashable, Sendable {
    private(set) var left: UInt32 = 0

    var isLockedOut: Bool { left == 0 }

    mutating func noteFailure() { if left > 0 { left -= 1 } }

    /// A match or the right passcode begins anew. A match does not end what the passcode is needed for.
    mutating func noteMatch() { if left > 0 { left = EnclaveWire.matchTries } }

    mutating func notePasscode() { left = EnclaveWire.matchTries }
}
