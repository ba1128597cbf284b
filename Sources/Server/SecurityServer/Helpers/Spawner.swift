import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// The helper that starts and ends the key custodian and its keyd, since securityd executes nothing.
struct Spawner: CustodianLauncher {
    enum Order {
        static let start: Int32 = 1
        static let end: Int32 = 2
    }

    let program: String
    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper.
    ///
    /// Call it while there is one thread.
    ///
    /// - Parameters:
    ///   - keyWorker: keyd, which calculates with private keys for each custodian; nil for none.
    ///   - matcher: this helper's end of the link to securityd-match; -1 for none.
    init(
        program: String, keyWorker: String?, stateFolder: String, matcher: Int32, calls: ProcessCalls = .system
    ) throws(KeychainError) {
        self.program = program
        var custodian = Custodian(program: program, keyWorker: keyWorker, stateFolder: stateFolder, calls: calls)
        let loader = chatelaine_program_loader().map { String(cString: $0) }
        let programs = [program] + (keyWorker.map { [$0] } ?? [])
        helper = try Helper(
            "securityd-spawn", .spawner, .spawner(programs: programs, loader: loader), sharing: matcher, calls: calls
        ) { order, channel in
            let link = matcher < 0 ? -1 : Helper.sharedDescriptor
            return (custodian.carryOut(order, channel: channel, matcher: link), [])
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    /// Starts a custodian after the last one has ended, with `channel` as its descriptor 3, and returns its pid.
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

    /// Ends the custodian, and waits until it has ended.
    func end() { _ = helper.ask(Order.end) }

    // MARK: In the helper

    /// The custodian that was started last, as the helper knows it.
    struct Custodian {
        let program: String
        let keyWorker: String?
        let stateFolder: String
        let calls: ProcessCalls
        /// The pid of the custodian; 0 where there is none.
        private(set) var pid: Int32 = 0
        /// The pid of its keyd.
        private var workerPID: Int32 = 0

        init(program: String, keyWorker: String? = nil, stateFolder: String, calls: ProcessCalls) {
            self.program = program
            self.keyWorker = keyWorker
            self.stateFolder = stateFolder
            self.calls = calls
        }

        /// Ends the custodian, and starts the next one where that is the order.
        ///
        /// Returns the pid, the error negated, or 0.
        ///
        /// - Parameter matcher: the link to securityd-match, which gets one end of a channel to each custodian; -1 for
        ///   none.
        mutating func carryOut(_ order: Int32, channel: Int32, matcher: Int32 = -1) -> Int32 {
            if pid > 0 { calls.end(pid) }
            if workerPID > 0 { calls.end(workerPID) }
            (pid, workerPID) = (0, 0)
            guard order == Order.start else { return 0 }
            var channels = [channel]
            var words = [program, "--state-folder", stateFolder]
            defer { for own in channels.dropFirst() { close(own) } }
            // Where one of these channels cannot be made, the custodian does without it.
            for (option, end) in [
                ("--matcher", matcher < 0 ? -1 : MatcherLink(matcher).newChannel()), ("--key-worker", startWorker()),
            ] where end >= 0 {
                words += [option, "\(3 + channels.count)"]
                channels.append(end)
            }
            do throws(Errno) {
                pid = try calls.spawn(program, words, Self.environment, channels)
                return pid
            } catch {
                return -error.code
            }
        }

        private static let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", FreedMemory.setting]

        /// Starts keyd.
        ///
        /// Returns the custodian's end of the channel between the two, which no other process has, or -1.
        private mutating func startWorker() -> Int32 {
            guard let keyWorker else { return -1 }
            do throws(Errno) {
                var pair = try SocketPair()
                workerPID = try calls.spawn(keyWorker, [keyWorker], Self.environment, [pair.theirs.number])
                return pair.takeOurs()
            } catch {
                return -1
            }
        }
    }
}

/// Starts the process of the key custodian and ends it; there is one at a time.
package protocol CustodianLauncher: Sendable {
    /// The name of the program, for error messages.
    var program: String { get }

    /// Starts a custodian after the last one has ended, with `channel` as its first channel, and returns its pid.
    func start(channel: Int32) throws(KeychainError) -> pid_t

    /// Ends the custodian, and waits until it has ended.
    func end()
}
