import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// What a request with passcodes has while its passcode is looked at, and no other one is.
///
/// Checking a passcode takes a tenth of a second and much memory. A request that waits for its turn blocks its own
/// channel and nothing else.
struct PasscodeTurn {
    let enclave: Enclave
    let keybag: KeybagCustodian
    /// The passcodes that came with the request, as many as it says.
    let passcodes: [SecretBytes]
    let origin: PasscodeOrigin
    /// The count of lockings before the wait, so that a lock from then on also applies to this request.
    let lockings: UInt64

    /// The reply: the outcome, and how the passcode of that origin is now.
    func report(_ outcome: PasscodeOutcome) -> PasscodeReport { keybag.report(outcome, for: origin) }
}

extension EnclaveRoute {
    /// A request whose passcode is looked at.
    init<Request: EnclavePasscodeRequest>(
        passcode carryOut: @escaping @Sendable (Request, PasscodeTurn) throws(KeychainError) -> PasscodeReport
    ) {
        self.init(secrets: { (request: Request, enclave, passcodes) throws(KeychainError) in
            let keybag = try enclave.keybag(of: request.store)
            let lockings = keybag.withState { $0.lockings }
            return try enclave.passcodeTurn.withLock { _ throws(KeychainError) in
                try carryOut(
                    request,
                    PasscodeTurn(
                        enclave: enclave, keybag: keybag, passcodes: passcodes, origin: request.origin,
                        lockings: lockings))
            }
        })
    }
}
