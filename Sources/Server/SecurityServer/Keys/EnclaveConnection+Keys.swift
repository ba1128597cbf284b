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
    func callWithKey(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        let places = request.makesRSA ? keyMakings : keyTasks
        return try places.hold(for: Originator.owner) { () throws(KeychainError) in try callAside(request) }
    }
}

extension EnclaveRequest {
    /// Whether the request may take as long as a search for primes.
    fileprivate var makesRSA: Bool {
        if case .makeKey(.generated(.rsa, _), _, _, _) = self { true } else { false }
    }
}
