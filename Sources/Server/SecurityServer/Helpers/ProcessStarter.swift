import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls
import TrustProtocol

/// Starts processes of one program, one for each question, and ends them.
protocol ProcessStarting: Sendable {
    /// Starts one, with `channel` as its descriptor 3; its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t

    /// Ends one that was started, whatever it does, and waits until it has.
    func end(_ pid: pid_t)
}

/// A helper that starts one program and nothing else: securityd executes nothing.
///
/// There is one for each program, since a filter is inherited and no desktop's toolkit lives under one that fits others, and so that what a stranger's
/// certificate may do to trustd is far from enclaved.
struct ProcessStarter: ProcessStarting {
    /// What is started, and how often at one time; whoever wants more waits, or is told.
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

    /// Forks the helper; call it while there is one thread.
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

    /// Those that were started and not ended.
    struct Processes {
        private let command: Command
        private let calls: ProcessCalls
        private var pids: Set<pid_t> = []

        init(_ command: Command, calls: ProcessCalls) {
            self.command = command
            self.calls = calls
        }

        /// The pid of the one that was started, the error negated, or 0.
        mutating func carryOut(_ order: Int32, channel: Int32) -> Int32 {
            guard order == start else {
                // Of its own processes only. Each is there until it was waited for here.
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
    /// Dialogs at one time; each is another terminal or display, before which somebody has to sit.
    static let mostDialogs = 8
    /// Questions about signatures and certificates that are looked at at one time.
    static let mostVerifiers = TrustWire.maximumWorkers - 1
    /// Files of keys and certificates that are read or written at one time, each with 256 MiB at the most.
    static let mostFormats = 4
    /// Servers that are asked at one time. They are waited for, and hardly anything is calculated.
    static let mostFetches = 8

    /// securityd-ask, which starts security-agent.
    ///
    /// - Parameters:
    ///   - pinentry: the program that the agent shows dialogs by.
    ///   - session: variables of the display and the language, as `NAME=value`.
    static func dialogs(program: String, pinentry: String, session: [String]) throws(KeychainError) -> Self {
        try Self(
            "securityd-ask", .dialogs, .dialogs(), .dialogs(program: program, pinentry: pinentry, session: session))
    }

    /// securityd-trust, which starts trustd.
    static func trust(program: String) throws(KeychainError) -> Self {
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        return try Self(
            "securityd-trust", .trustStarter, .spawner(programs: [program], loader: loader), .trust(program: program))
    }

    /// securityd-format, which starts formatd.
    static func format(program: String) throws(KeychainError) -> Self {
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        return try Self(
            "securityd-format", .formatStarter, .spawner(programs: [program], loader: loader), .format(program: program)
        )
    }

    /// securityd-fetch, which starts fetchd.
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
            // Those that fork no more have at least one worker each, besides the one that does.
            most: ProcessStarter.mostVerifiers + 1)
    }

    /// Private keys are in it: what it frees is overwritten.
    static func format(program: String) -> Self {
        Self(
            program: program, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting],
            most: ProcessStarter.mostFormats)
    }

    static func fetch(program: String) -> Self {
        Self(
            program: program, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting],
            most: ProcessStarter.mostFetches)
    }
}
