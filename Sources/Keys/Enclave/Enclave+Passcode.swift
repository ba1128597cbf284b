import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// Requests with a passcode, handled one at a time across all keybags.
///
/// Checking a passcode takes a tenth of a second and much memory. A request that waits here blocks its own channel and
/// nothing else.
extension Enclave {
    func carryOutForPasscode(
        _ request: EnclaveRequest, _ passcodes: [SecretBytes]
    ) throws(KeychainError) -> PasscodeReport {
        guard let store = request.store, passcodes.count == request.passcodeCount else {
            throw KeychainError(
                .param, "\(request.passcodeCount) passcodes belong to the request, and \(passcodes.count) came")
        }
        let keybag = try keybag(of: store)
        if case .passcodeStatus(let origin, _) = request { return try status(of: keybag, for: origin) }
        // Read before the wait, so that a lock from now on also applies to this request.
        let lockings = keybag.withState { $0.lockings }
        return try passcodeTurn.withLock { _ throws(KeychainError) in
            let outcome: PasscodeOutcome
            var endorsement: Endorsement?
            switch request {
            case .setPasscode:
                notePasscode()
                try keybag.setPasscode(passcodes[0])
                outcome = .done
            case .changePasscode(let origin, _):
                outcome = try keybag.changePasscode(passcodes[0], to: passcodes[1], from: origin)
            case .removePasscode(let origin, _): outcome = try keybag.removePasscode(passcodes[0], from: origin)
            case .unlock(let origin, _): outcome = try keybag.unlock(passcodes[0], from: origin, lockings: lockings)
            case .newKeys(let origin, _): outcome = try keybag.newKeys(passcodes[0], from: origin)
            case .verifyPasscode(let origin, _): outcome = try keybag.verifyPasscode(passcodes[0], from: origin)
            case .endorse(let digest, let origin, _):
                (outcome, endorsement) = try keybag.endorse(digest, passcodes[0], from: origin)
            case .prove(let question, let origin, _):
                outcome = try keybag.prove(
                    passcodes[0], for: .init(question), in: question.use.context, from: origin, lockings: lockings)
            case .provePolicy(let policy, let context, let origin, _):
                guard policy == .deviceOwnerAuthentication else {
                    throw KeychainError(.param, "the policy asks for a biometric, which no passcode stands for")
                }
                outcome = try keybag.prove(
                    passcodes[0], for: .policy(policy), in: context, from: origin, lockings: lockings)
            case .provePasscode(let context, let origin, _):
                outcome = try keybag.prove(
                    passcodes[0], for: .everyItem, in: context, from: origin, lockings: lockings)
            default: throw KeychainError(.internalComponent, "a request without a passcode")
            }
            var report = keybag.report(outcome, for: request.passcodes?.origin ?? .agent)
            report.endorsement = endorsement
            return report
        }
    }

    private func status(
        of keybag: KeybagCustodian, for origin: PasscodeOrigin
    ) throws(KeychainError) -> PasscodeReport {
        if keybag.tries.counts == nil {
            try passcodeTurn.withLock { _ throws(KeychainError) in try keybag.loadTries() }
        }
        return keybag.report(for: origin)
    }
}
