import CChatelaine
import Glibc

/// What every process of ours gives up at its start.
package enum ProcessHardening {
    /// The role of a process, which decides its limits and the capabilities that it keeps as root.
    package enum Role: Sendable, CaseIterable {
        case daemon
        case custodian
        /// The helper that starts the custodian, which inherits its capabilities.
        case spawner
        /// The helper that inspects callers.
        case procReader
        /// The helpers that listen to logind and speak to fprintd on the system bus.
        case busListener
        /// The helper that starts the agent, and the agent: a desktop's toolkit inherits their limits.
        case dialogs
        /// The process that forks the workers for signatures and certificates, and these workers.
        case trust
        /// The helper that starts the process of ``trust``.
        case trustStarter
        /// The helper that starts the process of ``format``.
        case formatStarter
        /// The process that forks the workers for files of keys and certificates, and these workers.
        case format
        /// The helper that starts the process of ``fetch``.
        case fetchStarter
        /// The process that asks one server.
        case fetch
        /// The process that forks the workers that calculate with keys, and these workers.
        case keyWorker

        var limits: [ResourceLimit] {
            switch self {
            case .daemon: [.noCore, .manyDescriptors]
            case .custodian: [.noCore, .fewDescriptors, .smallFiles]
            case .spawner, .dialogs, .trustStarter, .formatStarter, .fetchStarter: [.noCore]
            case .procReader: [.noCore, .passedDescriptors]
            case .busListener: [.noCore, .fewDescriptors, .boundedData]
            case .keyWorker, .trust: [.noCore, .passedDescriptors, .boundedData]
            case .format: [.noCore, .passedDescriptors, .dataOfFile]
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

    /// Applies the measures for every role, and the limits of this role.
    ///
    /// The process leaves no core file, cannot be traced by programs of this user and gains no privileges. It makes new
    /// files for the user alone, has `/` as its working folder, and does not end when a peer goes away. There is no
    /// limit of processes, since the kernel counts those of the whole user.
    ///
    /// securityd gives up root's capabilities later, by ``giveUpCapabilities(_:)``: its helpers keep others than it
    /// does.
    ///
    /// - Returns: the steps that failed, in words; usually none.
    package static func apply(_ role: Role) -> [String] {
        var failures: [String] = []
        func step(_ isDone: Bool, _ words: String) {
            if !isDone { failures.append("\(words) failed: \(String(cString: strerror(errno)))") }
        }
        step(chatelaine_set_not_dumpable() == 0, "forbidding core dumps and tracing")
        step(chatelaine_set_no_new_privileges() == 0, "giving up new privileges")
        if role != .daemon { step(giveUpCapabilities(role), "giving up capabilities") }
        step(ResourceLimit.raiseInherited(), "raising limits")
        for limit in role.limits { step(limit.apply(), "limiting the \(limit.name)") }
        _ = umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        // Writing beyond the limit of file sizes should fail with an error and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        step(chdir("/") == 0, "leaving the working folder")
        return failures
    }

    /// Reduces the capabilities of a process that runs as root to those of its role; has no effect for other users.
    package static func giveUpCapabilities(_ role: Role) -> Bool {
        chatelaine_keep_capabilities(role.capabilities.rawValue) == 0
    }
}
