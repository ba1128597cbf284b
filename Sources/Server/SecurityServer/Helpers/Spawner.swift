import CChatelaine
import ChatelaineModel
import Glibc
import Sandbox

/// The helper that starts the key custodian and ends it: securityd executes nothing.
struct Spawner: CustodianLauncher {
    private enum Order {
        static let start: Int32 = 1
        static let end: Int32 = 2
    }

    let program: String
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    init(program: String, stateFolder: String) throws(KeychainError) {
        self.program = program
        var child: pid_t = 0
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        helper = try Helper("securityd-spawn", .spawner, .spawner(program: program, loader: loader)) { order, channel in
            Self.end(&child)
            guard order == Order.start else { return (0, []) }
            child = Self.start(program, stateFolder, channel)
            return (child, [])
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    /// Starts a custodian, after the last one has ended, with `channel` as its descriptor 3; its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t {
        guard let (pid, _) = helper.ask(Order.start, descriptor: channel) else {
            throw KeychainError(
                .notAvailable, "the helper that starts \(program) is gone; securityd has to start again")
        }
        guard pid > 0 else {
            throw KeychainError(system: -pid, "\(program) cannot be started")
        }
        return pid
    }

    /// Ends the custodian, and waits until it has.
    func end() { _ = helper.ask(Order.end) }

    // MARK: In the helper

    private static func start(_ program: String, _ stateFolder: String, _ channel: Int32) -> pid_t {
        let words: [String] = [program, "--state-folder", stateFolder]
        var arguments = words.map { (word: String) in strdup(word) } + [nil]
        var settings =
            ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting].map { (word: String) in strdup(word) } + [nil]
        defer { for string in arguments + settings { free(string) } }
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let pid = chatelaine_spawn_with_channel(program, &arguments, &settings, channel)
        return pid > 0 ? pid : -errno
    }

    private static func end(_ child: inout pid_t) {
        guard child > 0 else { return }
        kill(child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        child = 0
    }
}
