import CChatelaine
import ChatelaineModel
import Glibc
import Synchronization

@testable import SecurityServer

/// Starts the real enclaved from the build folder, as securityd's helper does.
final class CustodianProcesses: CustodianLauncher {
    let program = CustodianProcesses.executable
    private let stateFolder: String
    private let child = Mutex<pid_t>(0)
    /// The number of started custodians.
    let starts = Atomic(0)
    /// Whether no further custodian can be started.
    let isBarred = Atomic(false)

    init(stateFolder: String) { self.stateFolder = stateFolder }

    deinit { end() }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        end()
        guard !isBarred.load(ordering: .relaxed) else { throw KeychainError(system: EAGAIN, "starting \(program)") }
        let words = [program, "--state-folder", stateFolder]
        var arguments = words.map { strdup($0) } + [nil]
        var settings = [strdup("LC_ALL=C.UTF-8")] + [nil]
        defer { for string in arguments + settings { free(string) } }
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let pid = chatelaine_spawn_with_channel(program, &arguments, &settings, channel)
        guard pid > 0 else { throw KeychainError(system: errno, "starting \(program)") }
        child.withLock { $0 = pid }
        starts.add(1, ordering: .relaxed)
        return pid
    }

    func end() {
        child.withLock { child in
            guard child > 0 else { return }
            kill(child, SIGKILL)
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            child = 0
        }
    }

    /// The executable in the build folder, beside the test bundle.
    private static var executable: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        let beside = bundle.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        return [ProgramFolder.ofThisProcess, beside].map { $0 + "/enclaved" }.first { access($0, X_OK) == 0 }
            ?? "enclaved-not-found"
    }
}
