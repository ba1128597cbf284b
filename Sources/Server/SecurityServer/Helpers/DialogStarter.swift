import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// Starts the processes that show dialogs, one for each, and ends them.
protocol DialogStarting: Sendable {
    /// Starts one, with `channel` as its descriptor 3; its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t

    /// Ends one that was started, whatever it does, and waits until it has.
    func end(_ pid: pid_t)
}

/// The helper that starts security-agent: securityd executes nothing, and what ``Spawner`` starts inherits a filter under which no
/// desktop's toolkit lives.
struct DialogStarter: DialogStarting {
    /// At one time; each is another terminal or display, before which somebody has to sit.
    static let mostDialogs = 8

    static let start: Int32 = 0

    let program: String
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    ///
    /// - Parameters:
    ///   - pinentry: the program that the agent shows dialogs by.
    ///   - session: variables of the display and the language, as `NAME=value`.
    init(
        program: String, pinentry: String, session: [String], calls: ProcessCalls = .system
    ) throws(KeychainError) {
        self.program = program
        var agents = Agents(program: program, pinentry: pinentry, session: session, calls: calls)
        helper = try Helper("securityd-ask", .dialogs, .dialogs(), calls: calls) { order, channel in
            (agents.carryOut(order, channel: channel), [])
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        guard let (pid, _) = helper.ask(Self.start, descriptor: channel) else {
            throw KeychainError(
                .notAvailable, "the helper that starts \(program) is gone; securityd has to start again")
        }
        guard pid > 0 else { throw KeychainError(system: -pid, "\(program) cannot be started") }
        return pid
    }

    func end(_ pid: pid_t) { _ = helper.ask(pid) }

    // MARK: In the helper

    /// Those that were started and not ended.
    struct Agents {
        let program: String
        let pinentry: String
        let session: [String]
        let calls: ProcessCalls
        private(set) var pids: Set<pid_t> = []

        init(program: String, pinentry: String, session: [String], calls: ProcessCalls) {
            self.program = program
            self.pinentry = pinentry
            self.session = session
            self.calls = calls
        }

        /// The pid of the one that was started, the error negated, or 0.
        mutating func carryOut(_ order: Int32, channel: Int32) -> Int32 {
            guard order == start else {
                // Of its own processes only. Each is there until it was waited for here.
                if pids.remove(order) != nil { calls.end(order) }
                return 0
            }
            guard pids.count < mostDialogs else { return -EAGAIN }
            do throws(Errno) {
                let pid = try calls.spawn(
                    program, [program, "--pinentry", pinentry], ["PATH=/usr/bin:/bin", FreedMemory.setting] + session,
                    channel, -1)
                pids.insert(pid)
                return pid
            } catch {
                return -error.code
            }
        }
    }
}
