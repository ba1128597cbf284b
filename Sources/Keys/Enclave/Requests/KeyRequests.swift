import ChatelaineModel
import EnclaveProtocol

/// Carries out requests about private keys, and about symmetric keys that never leave.
enum KeyRequests {
    static let routes: [EnclaveRoute] = [
        .init(make),
        .init(use),
    ]

    static func make(_ request: MakeSealedKey, _ enclave: Enclave) throws(KeychainError) -> MadeKey {
        try enclave.makeKey(request.source, at: request.context, for: request.use, in: request.store)
    }

    static func use(_ request: UseSealedKey, _ enclave: Enclave) throws(KeychainError) -> UseSealedKey.Reply {
        // Read first: a worker must not keep a key whose keychain was closed once its custodian is in hand.
        let lockings = enclave.settings.keyWorkers.lockings
        return UseSealedKey.Reply(
            try enclave.useKey(
                request.key, request.task, for: request.use, try enclave.custodian(of: request.store), since: lockings))
    }
}
