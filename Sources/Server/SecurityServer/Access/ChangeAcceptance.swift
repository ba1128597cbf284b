import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// One question about a changed program: the change that was shown, and how accepting it is carried out.
///
/// Where there is a passcode, the decision is carried out in the same step in which the passcode is checked. So what is
/// signed is what is recorded.
final class ChangeAcceptance: PasscodeChecking {
    private let caller: CallerChange
    private let identities: IdentityService
    private let opened: IdentityService.Opened
    private let enclave: EnclaveConnection
    private let isConcluded = AdaptiveMutex(false)

    init(
        _ caller: CallerChange, _ identities: IdentityService, _ opened: IdentityService.Opened,
        _ enclave: EnclaveConnection
    ) {
        self.caller = caller
        self.identities = identities
        self.opened = opened
        self.enclave = enclave
    }

    var change: ProgramChange { caller.change }

    /// Whether the process still runs that program, the same file is at its path, and nothing else was recorded.
    var isCurrent: Bool { caller.isStillRunning() && opened.resolver.isCurrent(change) }

    func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try enclave.passcodeReport(for: .agent, in: opened.store))
    }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        // The request notices that the change is outdated, and asks again.
        guard isCurrent else { return .right }
        let verdict = try identities.decide(
            .acceptChange(change), GivenPasscode(origin: .agent, store: opened.store, files: [pipe]))
        if case .right = verdict { isConcluded.withLock { $0 = true } }
        return verdict
    }

    /// Carries out an answer by a button, which counts where there is no passcode.
    ///
    /// - Returns: whether the change is accepted, now or earlier with the passcode.
    func conclude() throws(KeychainError) -> Bool {
        if isConcluded.withLock({ $0 }) { return true }
        guard isCurrent else { return false }
        guard !opened.ledger.needsEndorsement else { throw ApplicationLedger.unendorsed }
        try opened.ledger.carryOut(.acceptChange(change))
        return true
    }
}
