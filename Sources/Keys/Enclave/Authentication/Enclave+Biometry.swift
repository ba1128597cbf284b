import ChatelaineModel
import EnclaveProtocol
import Glibc

/// Biometric authentication: the custodian records a match only if it observed the match itself.
extension Enclave {
    /// The microseconds between two checks whether the reader is free.
    private static let pause: UInt32 = 50_000

    func biometryReport(of keybag: KeybagCustodian) -> BiometryReport {
        switch settings.biometry.enrolment() {
        case .noReader: return BiometryReport(.notAvailable)
        case .nothing: return BiometryReport(.notEnrolled, kind: .fingerprint)
        case .set(let set):
            let (hasPasscode, tries) = keybag.withState { ($0.device.hasPasscode, $0.matchTries) }
            let isLockedOut = hasPasscode && tries.isLockedOut
            return BiometryReport(isLockedOut ? .lockedOut : .ready, kind: .fingerprint, enrolledSet: set)
        }
    }

    /// Waits for the reader, and then for somebody to touch it.
    ///
    /// - Parameter isAwaited: whether the caller still waits; asked repeatedly.
    func match(
        for scope: AuthenticationContexts.Scope, in context: ContextReference, _ keybag: KeybagCustodian,
        while isAwaited: () -> Bool
    ) throws(KeychainError) -> MatchReport {
        let (hasPasscode, lockings) = keybag.withState { ($0.device.hasPasscode, $0.lockings) }
        guard hasPasscode else { throw AccessObstacle.noPasscode.error }
        while !matchTurn.withLock({ isTaken in
            defer { isTaken = true }
            return !isTaken
        }) {
            guard isAwaited() else { return MatchReport(.withdrawn) }
            usleep(Self.pause)
        }
        defer { matchTurn.withLock { $0 = false } }
        guard !keybag.withState({ $0.matchTries.isLockedOut }) else { return MatchReport(.lockedOut) }
        switch settings.biometry.match(while: isAwaited) {
        case .matched(let set):
            try keybag.noteMatch(of: set, for: scope, in: context, lockings: lockings)
            return MatchReport(.matched, triesLeft: EnclaveWire.matchTries)
        case .notMatched:
            let left = keybag.withState { state in
                state.matchTries.noteFailure()
                return state.matchTries.left
            }
            return MatchReport(.notMatched, triesLeft: left)
        case .unavailable: return MatchReport(.unavailable)
        case .withdrawn: return MatchReport(.withdrawn)
        }
    }
}
