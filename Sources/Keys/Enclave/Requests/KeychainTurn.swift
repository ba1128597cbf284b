import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// What a request with the password of a file keychain has while that password is looked at, and no other one is.
struct KeychainTurn {
    let enclave: Enclave
    /// The passwords that came with the request, as many as it says.
    let passwords: [SecretBytes]
    /// Begun before the wait, so that a lock from then on also applies to this request.
    let attempt: UnlockAttempts.Attempt
}

extension EnclaveRoute {
    /// A request with the password of a file keychain.
    ///
    /// - Parameter needsPlace: whether the keychain may be unlocked afterwards, for which there has to be a place.
    init<Request: EnclaveKeychainRequest>(
        keychain carryOut:
            @escaping @Sendable (Request, KeychainTurn, inout Enclave.PasswordTurn)
            throws(KeychainError) -> KeychainReport, needsPlace: Bool = true
    ) {
        self.init(secrets: { (request: Request, enclave, passwords) throws(KeychainError) in
            let attempt = try enclave.stores.withLock { stores throws(KeychainError) in
                if needsPlace {
                    try stores.checkKeychain(request.store)
                } else {
                    try stores.checkIsNoKeybag(request.store)
                }
                return stores.attempts.begin(request.store)
            }
            defer { enclave.stores.withLock { $0.attempts.end(attempt) } }
            enclave.notePasscode()
            return try enclave.passwordTurn.withLock { shared throws(KeychainError) in
                try carryOut(
                    request, KeychainTurn(enclave: enclave, passwords: passwords, attempt: attempt), &shared)
            }
        })
    }
}
