import ChatelaineModel
import EnclaveProtocol
import Glibc

/// What the custodian does with biometrics: whoever matches is noted by itself, and by nobody's word.
extension Enclave {
    /// Between two looks at whether the reader is free, in microseconds.
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
    /// - Parameter isAwaited: whether whoever asks still waits; asked now and then.
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
