import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import FormatProtocol
import Glibc
import Sandbox
import SystemCalls
import TrustProtocol

/// Starts processes of one program, one for each question, and ends them.
protocol ProcessStarting: Sendable {
    /// Starts a process with `channel` as its descriptor 3, and returns its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t

    /// Ends a started process, whatever it does, and waits until it has ended.
    func end(_ pid: pid_t)
}

/// A helper that starts one program and nothing else, since securityd executes nothing.
///
/// Each program has a helper of its own. A filter is inherited, and a desktop's toolkit does not run under one that
/// fits the other programs. It also keeps what a stranger's certificate may do to trustd far from enclaved.
struct ProcessStarter: ProcessStarting {
    /// The program to start, and how many of its processes may run at one time.
    ///
    /// Beyond that a caller waits, or gets an error.
    struct Command: Sendable {
        let program: String
        var arguments: [String] = []
        let environment: [String]
        let most: Int
    }

    static let start: Int32 = 0

    let command: Command
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper.
    ///
    /// Call it while there is one thread.
    private init(
        _ name: String, _ role: ProcessHardening.Role, _ confinement: Confinement, _ command: Command
    ) throws(KeychainError) {
        self.command = command
        var processes = Processes(command, calls: .system)
        helper = try Helper(name, role, confinement, calls: .system) { order, channel in
            (processes.carryOut(order, channel: channel), [])
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        guard let (pid, _) = helper.ask(Self.start, descriptor: channel) else {
            throw KeychainError(
                .notAvailable, "the helper that starts \(command.program) is gone; securityd has to start again")
        }
        guard pid > 0 else { throw KeychainError(system: -pid, "\(command.program) cannot be started") }
        return pid
    }

    func end(_ pid: pid_t) { _ = helper.ask(pid) }

    // MARK: In the helper

    /// The processes that were started and not ended.
    struct Processes {
        private let command: Command
        private let calls: ProcessCalls
        private var pids: Set<pid_t> = []

        init(_ command: Command, calls: ProcessCalls) {
            self.command = command
            self.calls = calls
        }

        /// Carries out an order; returns the pid of the started process, the error negated, or 0.
        mutating func carryOut(_ order: Int32, channel: Int32) -> Int32 {
            guard order == start else {
                // Only processes of this helper are ended. A pid stays valid until the process was waited for here.
                if pids.remove(order) != nil { calls.end(order) }
                return 0
            }
            guard pids.count < command.most else { return -EAGAIN }
            do throws(Errno) {
                let pid = try calls.spawn(
                    command.program, [command.program] + command.arguments, command.environment, [channel])
                pids.insert(pid)
                return pid
            } catch {
                return -error.code
            }
        }
    }
}

// MARK: What is started

extension ProcessStarter {
    /// Dialogs at one time.
    ///
    /// Each has a display or terminal of its own, before which a person has to sit.
    static let mostDialogs = 8
    /// Questions about signatures and certificates at one time.
    static let mostVerifiers = TrustWire.maximumWorkers - 1 - KeptWorkers.most
    /// Files of keys and certificates that are processed at one time.
    static let mostFormats = FormatWire.maximumWorkers
    /// Servers that are asked at one time.
    ///
    /// The processes mostly wait, and calculate little.
    static let mostFetches = 8

    /// The helper securityd-ask, which starts security-agent.
    ///
    /// - Parameters:
    ///   - pinentry: the program by which the agent shows dialogs.
    ///   - session: variables of the display and the language, as `NAME=value`.
    static func dialogs(program: String, pinentry: String, session: [String]) throws(KeychainError) -> Self {
        try Self(
            "securityd-ask", .dialogs, .dialogs(), .dialogs(program: program, pinentry: pinentry, session: session))
    }

    /// The helper securityd-trust, which starts trustd.
    static func trust(program: String) throws(KeychainError) -> Self {
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        return try Self(
            "securityd-trust", .trustStarter, .spawner(programs: [program], loader: loader), .trust(program: program))
    }

    /// The helper securityd-format, which starts formatd.
    static func format(program: String) throws(KeychainError) -> Self {
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        return try Self(
            "securityd-format", .formatStarter, .spawner(programs: [program], loader: loader), .format(program: program)
        )
    }

    /// The helper securityd-fetch, which starts fetchd.
    static func fetch(program: String) throws(KeychainError) -> Self {
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        return try Self(
            "securityd-fetch", .fetchStarter,
            .spawner(programs: [program], loader: loader, reachesNetwork: true), .fetch(program: program))
    }
}

extension ProcessStarter.Command {
    static func dialogs(program: String, pinentry: String, session: [String]) -> Self {
        Self(
            program: program, arguments: ["--pinentry", pinentry],
            environment: ["PATH=/usr/bin:/bin", FreedMemory.setting] + session, most: ProcessStarter.mostDialogs)
    }

    static func trust(program: String) -> Self {
        Self(
            program: program, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"],
            // Each retired trustd has at least one worker, and there is one trustd that still forks.
            most: TrustWire.maximumWorkers)
    }

    /// The command for formatd.
    ///
    /// Its workers hold private keys, so memory that they free is overwritten.
    static func format(program: String) -> Self {
        Self(
            program: program, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting],
            // As for trustd.
            most: ProcessStarter.mostFormats + 1)
    }

    static func fetch(program: String) -> Self {
        Self(
            program: program, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting],
            most: ProcessStarter.mostFetches)
    }
}
