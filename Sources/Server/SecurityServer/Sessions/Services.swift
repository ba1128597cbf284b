import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Sandbox
import ServerIPC
import ChatelaineSystem
import SystemCalls

/// What all sessions of a daemon share.
struct Services: Sendable {
    let deployment: Deployment
    /// The one user who is served.
    let user: uid_t
    let keychains: KeychainRegistry
    let fileKeychains: FileKeychainRegistry
    /// Who is told of what happens to them.
    var keychainEvents: KeychainEventSubscriptions { fileKeychains.events }
    /// Which of them are searched.
    let keychainPreferences: KeychainPreferencesKeeper
    /// What follows the passcode.
    let loginKeychain = LoginKeychain()
    let identities: IdentityService
    /// Who reads certificates; nil where nobody does.
    var certificates: CertificateService?
    /// Who reads and writes files of keys and certificates; nil where nobody does.
    var formats: FormatWorkers?
    /// Who judges chains of certificates.
    let trust: TrustService
    let enclave: EnclaveConnection
    /// Who decides about rows of the data protection keychain, in this order.
    var deciders: [any AccessDecider]
    var inquiries: Inquiries
    /// Who looks at the caller of a connection.
    let procReader: @Sendable (ConnectionSlot) -> any ProcReader
    /// How this process is shut in, and looks that were given up.
    let confinement: @Sendable () -> (states: [SandboxState], unansweredLooks: Int)
    /// Who hears the system; nil where nobody does.
    let events: SystemEvents?
    let settings: SettingsFile
    let credential: PasscodeCredential
    let connections: ConnectionLimiter
    /// Who is told of changes.
    let changes: ChangeSubscriptions
    let closer: DescriptorCloser
    /// Memory for large requests.
    let intake: Budget
    /// Memory for large answers.
    let output: Budget
    /// Places for requests that wait for others' work with no turn: all of them together leave most connections to those that have one.
    let asides = Budget(bytes: SessionLimits.asides, largest: SessionLimits.asidesLeft)
    /// Places for looking for primes, one of which is left to programs that have none.
    let makings = Budget(bytes: KeyWorkerWire.maximumMakers, largest: 1)
    let log: Log
    let refusals: Refusals
    let hasMessagePidfd: Bool
    /// How the daemon came to run: "autostart", "systemd" or "manual".
    let startedBy: String
    /// Seconds of CLOCK_MONOTONIC when it began.
    let startTime: Int
}

extension Services {
    var certificateService: CertificateService {
        get throws(KeychainError) {
            guard let certificates else { throw KeychainError(.notAvailable, "nobody here reads certificates") }
            return certificates
        }
    }

    /// The keychains that are searched where a call names none.
    func searchList() throws(KeychainError) -> [String] {
        try keychainPreferences.searchList(of: .user).map(\.text)
    }

    /// The keychain to which items are added where a call names none.
    func defaultKeychain() throws(KeychainError) -> String {
        try keychainPreferences.defaultKeychain(of: .user).text
    }

    /// Who knows the callers; opens the default keychain where it was never open.
    func resolver() throws(KeychainError) -> IdentityResolver { try identified().resolver }

    /// The same, with the list of programs.
    func identified() throws(KeychainError) -> IdentityService.Opened {
        if let opened = identities.opened { return opened }
        _ = try keychains.default.keychain()
        guard let opened = identities.opened else {
            throw KeychainError(.notAvailable, "the list of programs is being opened anew; try again")
        }
        return opened
    }
}
