import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// The helper that starts the key custodian and ends it: securityd executes nothing.
struct Spawner: CustodianLauncher {
    enum Order {
        static let start: Int32 = 1
        static let end: Int32 = 2
    }

    let program: String
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    ///
    /// - Parameter matcher: its end of the way to securityd-match; -1 for none.
    init(
        program: String, stateFolder: String, matcher: Int32, calls: ProcessCalls = .system
    ) throws(KeychainError) {
        self.program = program
        var custodian = Custodian(program: program, stateFolder: stateFolder, calls: calls)
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        helper = try Helper(
            "securityd-spawn", .spawner, .spawner(program: program, loader: loader), sharing: matcher, calls: calls
        ) { order, channel in
            let link = matcher < 0 ? -1 : Helper.sharedDescriptor
            return (custodian.carryOut(order, channel: channel, matcher: link), [])
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

    /// The process that was started last, as the helper knows it.
    struct Custodian {
        let program: String
        let stateFolder: String
        let calls: ProcessCalls
        /// 0 where there is none.
        private(set) var pid: Int32 = 0

        init(program: String, stateFolder: String, calls: ProcessCalls) {
            self.program = program
            self.stateFolder = stateFolder
            self.calls = calls
        }

        /// Ends it, and starts the next where that is the order; the pid, the error negated, or 0.
        ///
        /// - Parameter matcher: the way to securityd-match, which gets an end of a channel to each custodian; -1 for none.
        mutating func carryOut(_ order: Int32, channel: Int32, matcher: Int32 = -1) -> Int32 {
            if pid > 0 { calls.end(pid) }
            pid = 0
            guard order == Order.start else { return 0 }
            let second = matcher < 0 ? -1 : MatcherLink(matcher).newChannel()
            defer { if second >= 0 { close(second) } }
            do throws(Errno) {
                pid = try calls.spawn(
                    program,
                    [program, "--state-folder", stateFolder] + (second < 0 ? [] : ["--matcher", "4"]),
                    ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting], channel, second)
                return pid
            } catch {
                return -error.code
            }
        }
    }
}
