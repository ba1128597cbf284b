import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sandbox
import ServerIPC
import SystemCalls

/// The services that all sessions of a daemon share.
struct Services: Sendable {
    let deployment: Deployment
    /// The identity of the data folder, which each client compares with that of its own.
    let dataFolder: FileIdentity
    /// The one user who is served.
    let user: uid_t
    let keychains: KeychainRegistry
    let fileKeychains: FileKeychainRegistry
    /// The subscriptions to events of the file keychains.
    var keychainEvents: KeychainEventSubscriptions { fileKeychains.events }
    /// The preferences of the file keychains: search list and default keychain.
    let keychainPreferences: KeychainPreferencesKeeper
    /// The login keychain, which the passcode unlocks.
    let loginKeychain = LoginKeychain()
    let identities: IdentityService
    /// Reads certificates; nil where no service does.
    var certificates: CertificateService?
    /// Reads and writes files of keys and certificates; nil where no worker does.
    var formats: FormatWorkers?
    /// Judges chains of certificates.
    let trust: TrustService
    let enclave: EnclaveConnection
    /// The deciders about rows of the data protection keychain, in this order.
    var deciders: [any AccessDecider]
    var inquiries: Inquiries
    /// What people said about changed programs.
    let changeAnswers = ChangeAnswers()
    /// Makes the reader that looks at the caller of a connection.
    let procReader: @Sendable (ConnectionSlot) -> any ProcReader
    /// How this process is confined, and how many looks at callers were given up.
    let confinement: @Sendable () -> (states: [SandboxState], unansweredLooks: Int)
    /// Hears the events of the system; nil where nothing does.
    let events: SystemEvents?
    let settings: SettingsFile
    let credential: PasscodeCredential
    let connections: ConnectionLimiter
    /// The subscriptions to changes of items.
    let changes: ChangeSubscriptions
    let closer: DescriptorCloser
    /// Memory for large requests.
    let intake: Budget
    /// Memory for large answers.
    let output: Budget
    /// Places for requests that wait, without a turn, for work in other processes.
    ///
    /// They leave most connections to requests that have a turn.
    let asides = Budget(bytes: SessionLimits.asides, largest: SessionLimits.asidesLeft)
    /// Places for searches for primes.
    ///
    /// One of them is kept for programs that hold none.
    let makings = Budget(bytes: KeyWorkerWire.maximumMakers, largest: 1)
    let log: Log
    let refusals: Refusals
    /// Keeps a lack of threads or descriptors from filling the log.
    let trouble = LogThrottle()
    let hasMessagePidfd: Bool
    let startedBy: DaemonStart
    /// Seconds of CLOCK_MONOTONIC when it began.
    let startTime: Int
}

extension Services {
    var certificateService: CertificateService {
        get throws(KeychainError) {
            guard let certificates else {
                throw KeychainError(.notAvailable, "certificates cannot be read: this daemon runs without trustd")
            }
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

    /// The resolver that identifies callers.
    ///
    /// It opens the default keychain where that was never open.
    func resolver() throws(KeychainError) -> IdentityResolver { try identified().resolver }

    /// The opened identities: the resolver and the list of programs.
    func identified() throws(KeychainError) -> IdentityService.Opened {
        if let opened = identities.opened { return opened }
        _ = try keychains.default.keychain()
        guard let opened = identities.opened else {
            throw KeychainError(.notAvailable, "the list of programs is being opened anew; try again")
        }
        return opened
    }
}
