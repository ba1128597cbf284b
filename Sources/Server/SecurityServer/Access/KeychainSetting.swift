import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem

/// What of the daemon around it decides about items of file keychains.
struct KeychainSetting: Sendable {
    let keychains: FileKeychainRegistry
    let enclave: EnclaveConnection
    /// Where the `security` command is.
    let tools: Set<CanonicalPath>
    let certificates: CertificateItems
    /// Whose passcode does as well as a keychain's password; nil where the password alone does.
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

    /// How a person allows that use. To delete an item is no reason to read others' from then on.
    func proof(for use: KeychainItemUse) throws(KeychainError) -> KeychainAccessProof {
        try KeychainAccessProof(
            use.question, isForOneUse: use.right != use.question.right, about: use.keychain, in: keychains,
            orPasscodeOf: keybag, enclave)
    }
}
