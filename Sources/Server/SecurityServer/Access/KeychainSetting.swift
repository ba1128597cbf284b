import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// The parts of the daemon that an ``ACLDecider`` uses.
struct KeychainSetting: Sendable {
    let keychains: FileKeychainRegistry
    let enclave: EnclaveConnection
    /// The paths of the `security` command.
    let tools: Set<CanonicalPath>
    let certificates: CertificateItems
    /// The store whose passcode is accepted instead of a keychain's password; nil where only the password is.
    let keybag: StoreIdentifier?

    init(
        _ services: Services, keybag: StoreIdentifier?, for caller: Caller,
        within judgements: CertificateEvaluationQuota
    ) {
        keychains = services.fileKeychains
        enclave = services.enclave
        tools = services.identities.tools
        certificates = CertificateItems(services, for: caller, within: judgements)
        self.keybag = keybag
    }

    /// How a person allows that use.
    ///
    /// A permission to delete an item does not last, since it would permit reading from then on.
    func proof(for use: KeychainItemUse) throws(KeychainError) -> KeychainAccessProof {
        try KeychainAccessProof(
            use.question, isForOneUse: use.right != use.question.right, about: use.keychain, in: keychains,
            orPasscodeOf: keybag, enclave)
    }
}
