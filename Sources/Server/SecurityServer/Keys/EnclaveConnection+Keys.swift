import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Requests that calculate with private keys, which happens outside of securityd.
extension EnclaveConnection {
    /// Sends a request that calculates with a key.
    ///
    /// A few such requests at a time have channels that nothing else waits for, and fewer where primes are searched
    /// for. Programs share these places (``ProgramPlaces``). The requests change nothing in the custodian, so one is
    /// sent again where the custodian went away.
    private func call<Request: EnclaveRequest>(
        _ request: Request, at places: ProgramPlaces<BudgetOwner?>
    ) throws(KeychainError) -> Request.Reply {
        try places.hold(for: Originator.owner) { () throws(KeychainError) in try callAside(request) }
    }

    func makeKey(_ request: MakeSealedKey) throws(KeychainError) -> MadeKey {
        // It may take as long as a search for primes.
        let makesRSA = if case .generated(.rsa, _) = request.source { true } else { false }
        return try call(request, at: makesRSA ? keyMakings : keyTasks)
    }

    func useKey(_ request: UseSealedKey) throws(KeychainError) -> SecretBytes {
        try call(request, at: keyTasks).bytes
    }
}
