import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import ServerIPC
import SystemCalls

/// securityd from its start to its end.
package struct Daemon {
    /// The options of the command line.
    package struct Options: Sendable {
        /// Whether to leave the starting process behind once the socket listens.
        package var isBackground = false
        /// Whether the log records every call that fails.
        ///
        /// `CHATELAINE_DEBUG=1` has the same effect.
        package var isDebugging = false
        /// The program that shows dialogs.
        ///
        /// Tests set another one.
        package var pinentry = PinentryName.standard
        /// Deciders besides the access groups and the constraints of items, for tests.
        package var deciders: [any AccessDecider] = []
        /// How long a dialog waits for an answer.
        package var dialogSeconds = AgentDialog.seconds

        package init() {}
    }

    /// Why ``run(_:)`` returned without a daemon.
    package enum Ending: Sendable {
        /// Another daemon serves this user already, so there is nothing to do.
        case alreadyRunning
        case failed(KeychainError)
    }

    /// Runs the daemon; returns only when it cannot run.
    ///
    /// The order matters. First comes what needs a fresh process, then the helpers, which inherit nothing that is
    /// opened after them. Then the daemon opens its files, enters the sandbox, and only then starts threads.
    package static func run(_ options: Options) -> Ending {
        harden()
        let activated = ServiceManager.takeListener()
        let manager = ServiceManager()
        chatelaine_close_from(activated.map { $0 + 1 } ?? STDERR_FILENO + 1)
        // Only the child goes on from here, and it has one thread so far.
        let ready = options.isBackground ? chatelaine_continue_in_background() : -1
        let environment = ProcessEnvironment.current
        let deployment: Deployment
        let user: uid_t
        do throws(KeychainError) {
            deployment = try Deployment.current(environment)
            user = try servedUser(of: deployment.mode)
        } catch {
            tell(ready, 1)
            return .failed(error)
        }
        let started: DaemonStart = options.isBackground ? .autostart : activated != nil ? .systemd : .manual
        // Before the lock is held: a credentials folder that never answers then blocks this process alone.
        let credential = PasscodeCredential.take()
        let session = ClosedEnvironment.takeSession()
        let helpers = Result { () throws(KeychainError) in
            try Helpers(deployment, session: session, pinentry: options.pinentry)
        }
        let stateFolder = RuntimeFolder(deployment.stateFolder)
        let log = Log(
            program: "securityd", path: deployment.stateFolder + "/securityd.log", mayWrite: { stateFolder.isUnshared },
            isDebugging: options.isDebugging || ProcessEnvironment.wantsDebugging)
        do throws(KeychainError) {
            try requireDescriptors()
            guard let lock = try lock(deployment, started, log) else {
                tell(ready, 0)
                return .alreadyRunning
            }
            try RuntimeFolder(deployment.runtimeFolder).prepare()
            try RuntimeFolder.makeFolders(deployment.stateFolder)
            try StateFolderOwner(deployment).claim()
            settle([deployment.dataFolder, deployment.stateFolder])
            let place = try ListeningPlace(deployment, environment, started)
            let listener = try listener(activated, at: place.socketPath)
            lock.announce(socketPath: place.socketPath)
            // One value, since a lock of its own keeps other daemons out.
            let machine = MachineKeychains(deployment, user, makesBase: user == 0 && !environment.isApart)
            let sandbox = DaemonSandbox(deployment, machine, manager, try helpers.get(), log)
            let services = services(
                deployment, place.dataFolder, user, machine, log, sandbox, listener.hasMessagePidfd, started, credential
            ).asking(options, sandbox, session)
            endOnSignals(services, manager)
            hearSystem(sandbox.helpers.events, services)
            if !services.fileKeychains.startLocking() { log.error("no thread can be had that locks idle keychains") }
            if !sandbox.helpers.matcher.start() { log.error("no thread can be had that waits for securityd-match") }
            // Before the start is reported, so that whoever starts the daemon never finds the keychain locked.
            credential.use(services)
            endWithoutPlace(place, lock, services)
            log.notice("securityd listens", ["socket": place.socketPath, "started": started.rawValue])
            tell(ready, 0)
            manager.sendReady()
            manager.startWatchdog { services.keychains.isResponsive }
            withExtendedLifetime(lock) { accept(listener, services) }
        } catch {
            log.error("securityd cannot start", ["status": "\(error.status)", "reason": error.reason])
            tell(ready, 1)
            return .failed(error)
        }
    }

    /// The one user whom a daemon serves: in user mode the user that it runs as.
    ///
    /// - Throws: `errSecUnimplemented` in system mode, which this version does not have. A daemon that served everybody
    ///   from one user's files would give each user the items of another.
    static func servedUser(of mode: Deployment.Mode) throws(KeychainError) -> uid_t {
        switch mode {
        case .user: return geteuid()
        case .system:
            throw KeychainError(
                .unimplemented,
                "\(Deployment.systemMarker) asks for system mode, which this version does not have: remove that file, and each "
                    + "user has a keychain of their own")
        }
    }

    /// Leaves it to another program to start the daemon, where this one could serve nobody.
    ///
    /// - Throws: `errSecNotAvailable`.
    private static func requireDescriptors() throws(KeychainError) {
        guard let allowed = ResourceLimit.tooFewDescriptors else { return }
        throw KeychainError(
            .notAvailable,
            "securityd may have \(allowed) files open, and needs \(ResourceLimit.leastDescriptors); raise the limit of open files (ulimit -H -n)"
        )
    }

    /// Makes the names of the folders durable, before the sandbox bars this process from their parent folders.
    ///
    /// The folders were synced when they were made, unless the daemon ended at that moment. So a failure here, as on
    /// some read-only disks, loses nothing.
    private static func settle(_ folders: [String]) {
        for folder in folders { try? RuntimeFolder(folder).settle() }
    }

    /// The size above which each block of memory is mapped by itself.
    ///
    /// By default glibc raises this limit to 32 MiB when the first large block is freed, and keeps every block below
    /// it.
    private static let largestKeptBlock: Int32 = 128 * 1024

    private static func harden() {
        // A database must never be opened as standard output. Without /dev/null the later calls for the folders report
        // the error.
        _ = chatelaine_reserve_standard_descriptors()
        _ = ClosedEnvironment.apply()
        FreedMemory.startAgainIfNeeded()
        // Failures appear in the status report. They are not fatal: unlike enclaved, securityd holds no key that opens
        // the rest.
        _ = ProcessHardening.apply(.daemon)
        CrashHandlers.remove()
        SecretArena.lockPages()
        // Memory that held a large secret goes back to the system at once.
        chatelaine_return_freed_memory(largestKeptBlock)
    }

    /// Locks when the system says so.
    private static func hearSystem(_ events: SystemEvents, _ services: Services) {
        do throws(KeychainError) {
            events.setIdleTimeout(seconds: Int32(clamping: try services.settings.read().idleTimeout))
        } catch {
            services.log.error("the settings cannot be read", ["reason": error.reason])
        }
        let isStarted = events.start { DeviceHandler.lock(because: $0, services) }
        if !isStarted { services.log.error("no thread can be had for what the system says") }
    }

    private static func listener(_ activated: Int32?, at path: String) throws(KeychainError) -> Listener {
        guard let activated else { return try Listener(path: path) }
        return try Listener(listening: Descriptor(activated))
    }

    private static func tell(_ descriptor: Int32, _ status: UInt8) {
        guard descriptor >= 0 else { return }
        var status = status
        _ = write(descriptor, &status, 1)
        close(descriptor)
    }
}
