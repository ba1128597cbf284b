import CChatelaine
import Glibc

/// What every process of ours gives up at its start, whatever else it does.
package enum ProcessHardening {
    /// Which limits a process sets itself, and what it keeps of root's power where it runs as root.
    package enum Role: Sendable, CaseIterable {
        case daemon
        case custodian
        /// The helper that starts the custodian, which inherits its capabilities.
        case spawner
        /// The helper that looks at callers.
        case procReader
        /// The helpers that hear logind and speak to fprintd on the system bus.
        case busListener
        /// The helper that starts the agent, and the agent: a desktop's toolkit inherits their limits.
        case dialogs
        /// The process that starts those that look at signatures and certificates, and these.
        case trust
        /// The helper that starts that process.
        case trustStarter
        /// The helper that starts what reads files of keys and certificates.
        case formatStarter
        /// The process that reads or writes one of them.
        case format
        /// The helper that starts what asks servers.
        case fetchStarter
        /// The process that asks one server.
        case fetch
        /// The process that starts those that calculate with keys, and these.
        case keyWorker

        var limits: [ResourceLimit] {
            switch self {
            case .daemon: [.noCore, .manyDescriptors]
            case .custodian: [.noCore, .fewDescriptors, .smallFiles]
            case .spawner, .dialogs, .trustStarter, .formatStarter, .fetchStarter: [.noCore]
            case .procReader: [.noCore, .passedDescriptors]
            case .busListener: [.noCore, .fewDescriptors, .boundedData]
            case .keyWorker, .trust: [.noCore, .fewDescriptors, .boundedData]
            case .format: [.noCore, .fewDescriptors, .dataOfFile, .secondsOfFile]
            case .fetch: [.noCore, .fewDescriptors, .boundedData, .fewSeconds]
            }
        }

        var capabilities: Capabilities {
            switch self {
            case .daemon: [.lockMemory, .readAnything]
            case .custodian, .spawner, .dialogs, .keyWorker: [.lockMemory]
            case .procReader: [.lookAtProcesses, .readAnything]
            case .busListener, .trustStarter, .trust, .formatStarter, .format, .fetchStarter, .fetch: []
            }
        }
    }

    /// No core file, no tracing by programs of this user, no privileges gained, new files for the user alone, `/` as the
    /// working folder, a peer that goes away no reason to end.
    ///
    /// There is no limit of processes: the kernel counts those of the whole user.
    ///
    /// securityd gives up root's power later, by ``giveUpCapabilities(_:)``: its helpers keep other parts of it.
    ///
    /// - Returns: the steps that failed, in words; none as a rule.
    package static func apply(_ role: Role) -> [String] {
        var failures: [String] = []
        func step(_ isDone: Bool, _ words: String) {
            if !isDone { failures.append("\(words) failed: \(String(cString: strerror(errno)))") }
        }
        step(chatelaine_set_not_dumpable() == 0, "forbidding core dumps and tracing")
        step(chatelaine_set_no_new_privileges() == 0, "giving up new privileges")
        if role != .daemon { step(giveUpCapabilities(role), "giving up capabilities") }
        for limit in role.limits { step(limit.apply(), "limiting the \(limit.name)") }
        _ = umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        // A limit of file sizes is an error to be told, and no reason to end.
        signal(SIGXFSZ, SIG_IGN)
        step(chdir("/") == 0, "leaving the working folder")
        return failures
    }

    /// Leaves a process that runs as root with what its role needs of root's power; nothing to do for any other user.
    package static func giveUpCapabilities(_ role: Role) -> Bool {
        chatelaine_keep_capabilities(role.capabilities.rawValue) == 0
    }
}
