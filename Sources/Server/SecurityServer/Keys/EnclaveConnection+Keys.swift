import ChatelaineModel
import EnclaveProtocol
import Sealing

/// What concerns private keys, which are calculated with past securityd.
extension EnclaveConnection {
    /// Puts a request for which a key is calculated with: on channels that nothing else waits for, a few of them at a time, and fewer where primes are
    /// looked for. It changes nothing in the custodian, so it is put once more where that went away.
    func callWithKey(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        let turns = request.makesRSA ? keyMakings : keyTasks
        turns.wait()
        defer { turns.signal() }
        return try callAside(request)
    }
}

extension EnclaveRequest {
    /// Whether it may take as long as finding primes does.
    fileprivate var makesRSA: Bool {
        if case .makeKey(.generated(.rsa, _), _, _, _) = self { true } else { false }
    }
}
