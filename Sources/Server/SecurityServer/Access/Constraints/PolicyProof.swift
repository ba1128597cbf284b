import ChatelaineModel
import EnclaveProtocol

extension PersonProof {
    /// What a person shows for a policy, which stands for every item of the context's principal.
    ///
    /// - Parameters:
    ///   - reference: the number of `context`, and the principal that it is of.
    ///   - report: how it stands with biometrics, as ``EnclaveConnection/biometryReport(in:)`` has just said.
    /// - Throws: `errSecAuthFailed` where the policy asks for a biometric, and none can be had now.
    static func policy(
        _ policy: AuthenticationPolicy, _ reference: ContextReference, noting context: AuthenticationContext,
        in store: StoreIdentifier, of enclave: EnclaveConnection, _ report: BiometryReport
    ) throws(KeychainError) -> PersonProof {
        let finger =
            report.availability == .ready
            ? PolicyMatching(enclave, policy, reference, in: store, noting: context) : nil
        switch policy {
        case .deviceOwnerAuthentication:
            return .passcode(
                taking: PolicyChecking(enclave, policy, reference, in: store, noting: context), orFinger: finger)
        case .deviceOwnerAuthenticationWithBiometrics:
            guard let finger else {
                throw KeychainError(.authFailed, "the policy asks for a biometric, and there is none to be had now")
            }
            return .finger(finger)
        }
    }
}

/// The passcode, typed for a policy. It unlocks nothing.
private struct PolicyChecking: PasscodeChecking {
    private let enclave: EnclaveConnection
    private let policy: AuthenticationPolicy
    private let reference: ContextReference
    private let store: StoreIdentifier
    private let context: AuthenticationContext

    init(
        _ enclave: EnclaveConnection, _ policy: AuthenticationPolicy, _ reference: ContextReference,
        in store: StoreIdentifier, noting context: AuthenticationContext
    ) {
        (self.enclave, self.policy, self.reference) = (enclave, policy, reference)
        (self.store, self.context) = (store, context)
    }

    func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try enclave.passcodeReport(for: .agent, in: store))
    }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        PasscodeVerdict(
            try context.noting { () throws(KeychainError) in
                try enclave.call(.provePolicy(policy, reference, .agent, in: store), passcodes: [pipe])
            })
    }
}

private struct PolicyMatching: FingerMatching {
    private let enclave: EnclaveConnection
    private let policy: AuthenticationPolicy
    private let reference: ContextReference
    private let store: StoreIdentifier
    private let context: AuthenticationContext

    init(
        _ enclave: EnclaveConnection, _ policy: AuthenticationPolicy, _ reference: ContextReference,
        in store: StoreIdentifier, noting context: AuthenticationContext
    ) {
        (self.enclave, self.policy, self.reference) = (enclave, policy, reference)
        (self.store, self.context) = (store, context)
    }

    func match(until stop: MatchStop) throws(KeychainError) -> MatchReport {
        try context.noting { () throws(KeychainError) in
            try enclave.matchPolicy(policy, reference, in: store, until: stop)
        }
    }
}
