import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import Glibc
import ServerIPC
import SystemCalls

/// What the daemon is made of.
extension Daemon {
    static func services(
        _ deployment: Deployment, _ dataFolder: FileIdentity, _ user: uid_t, _ machine: MachineKeychains, _ log: Log,
        _ sandbox: DaemonSandbox, _ hasMessagePidfd: Bool, _ started: DaemonStart, _ credential: PasscodeCredential
    ) -> Services {
        let enclave = EnclaveConnection(launcher: sandbox.helpers.spawner, log: log, watchesEnd: true)
        let identities = IdentityService(
            user: user, stateFolder: deployment.stateFolder, enclave: enclave,
            verifier: sandbox.helpers.signatures)
        let changes = ChangeSubscriptions()
        let events = KeychainEventSubscriptions()
        return Services(
            deployment: deployment, dataFolder: dataFolder, user: user,
            keychains: keychains(deployment, EnclaveKeySource(enclave: enclave), identities, changes, sandbox, log),
            fileKeychains: FileKeychainRegistry(
                folder: deployment.keychainsFolder, machine: machine,
                places: FileKeychainPlaces(deployment), enclave: enclave, log: log, events: events),
            keychainPreferences: KeychainPreferencesKeeper(deployment, machine, events: events, log: log),
            identities: identities, certificates: CertificateService(sandbox.helpers.signatures),
            formats: sandbox.helpers.formats,
            trust: TrustService(
                sandbox.helpers.signatures, fetcher: EvidenceFetcher(sandbox.helpers.fetches, log: log),
                user: user == 0 ? nil : UserTrustSettings(stateFolder: deployment.stateFolder), log: log),
            enclave: enclave,
            deciders: [AccessPolicy(), ConstraintDecider(enclave: enclave)],
            inquiries: Inquiries(nil),
            procReader: { SlotProcReader(procReader: sandbox.helpers.procReader, slot: $0) },
            confinement: { (sandbox.states, sandbox.helpers.procReader.unanswered) },
            events: sandbox.helpers.events, settings: SettingsFile(folder: deployment.stateFolder),
            credential: credential, connections: ConnectionLimiter(),
            changes: changes, closer: DescriptorCloser(),
            intake: Budget(bytes: SessionLimits.bytesInFlight), output: Budget(bytes: SessionLimits.bytesInFlight),
            log: log, refusals: Refusals(log: log), hasMessagePidfd: hasMessagePidfd,
            startedBy: started, startTime: MonotonicClock.seconds)
    }

    /// The data protection keychains, each with its store.
    ///
    /// The default one brings the list of programs.
    private static func keychains(
        _ deployment: Deployment, _ keys: EnclaveKeySource, _ identities: IdentityService,
        _ changes: ChangeSubscriptions, _ sandbox: DaemonSandbox, _ log: Log
    ) -> KeychainRegistry {
        KeychainRegistry { name in
            var surroundings = KeychainSlot.Surroundings(log: log)
            surroundings.isInPlace = { sandbox.isInPlace }
            surroundings.isMoved = { sandbox.isMoved }
            surroundings.whenDisplaced = {
                // This process may not write to these folders. The next request starts another daemon, which may.
                log.notice("securityd ends: other folders stand in the place of its own")
                exit(0)
            }
            surroundings.whenItemsMayDiffer = { changes.noteEverything() }
            surroundings.prepare = { () throws(KeychainError) in try deployment.prepareStoreFolders() }
            if name == .default {
                surroundings.attach = { (store) throws(KeychainError) in try identities.open(with: store) }
            }
            return KeychainSlot(
                name, folder: deployment.storeFolder(of: name), mark: deployment.markFile(of: name), keys: keys,
                surroundings)
        }
    }
}
