import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// The helper that starts the processes that look at callers, and kills those that do not come back. securityd itself
/// starts no process.
///
/// It looks at no caller, so that none can keep it from its work.
struct ProcHelperSupervisor: Sendable {
    /// The number of helpers at one time, including killed ones that hang in a wait that no signal ends.
    ///
    /// It is twice the number of working helpers, so that as many can hang for good before no more are started.
    static let mostProcesses = 2 * DelegatedProcReader.mostProcHelpers

    static let start: Int32 = 0
    static let countHanging: Int32 = -1

    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    init(calls: ProcessCalls = .system) throws(KeychainError) {
        var children = Children(calls: calls)
        helper = try Helper("securityd-look", .procReader, .procHelperSupervisor(), calls: calls) { order, _ in
            children.carryOut(order)
        }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    /// A new helper, or nil where the system has no process left or too many hang.
    func startProcHelper() -> ProcHelper? {
        guard let (pid, descriptors) = helper.ask(Self.start) else { return nil }
        guard pid > 0, descriptors.count == 1 else {
            for number in descriptors { close(number) }
            if pid > 0 { kill(pid) }
            return nil
        }
        return ProcHelper(pid: pid, channel: HelperChannel(Descriptor(descriptors[0])))
    }

    /// Kills a process that this helper has started.
    func kill(_ pid: pid_t) { _ = helper.ask(pid) }

    /// How many killed processes have not ended; the maximum where the helper is gone.
    func hanging() -> Int { helper.ask(Self.countHanging).map { Int($0.number) } ?? Self.mostProcesses }

    // MARK: In the helper

    /// The processes that were started and have not ended.
    struct Children {
        let calls: ProcessCalls
        private(set) var pids: Set<pid_t> = []
        private var killed: Set<pid_t> = []

        init(calls: ProcessCalls) { self.calls = calls }

        mutating func carryOut(_ order: Int32) -> (Int32, [Int32]) {
            while let pid = try? calls.waitpid(-1, false), pid > 0 {
                pids.remove(pid)
                killed.remove(pid)
            }
            guard order != countHanging else { return (Int32(killed.count), []) }
            guard order == start else {
                // A process that has ended may have left its number to another one.
                if pids.contains(order) {
                    killed.insert(order)
                    try? calls.kill(order, SIGKILL)
                }
                return (0, [])
            }
            guard pids.count < mostProcesses else { return (-EAGAIN, []) }
            let supervisor = getpid()
            do throws(Errno) {
                let (pid, channel) = try calls.fork(-1)
                if pid == 0 { look(channel, of: supervisor) }
                pids.insert(pid)
                return (pid, [channel])
            } catch {
                return (-error.code, [])
            }
        }
    }

    /// Runs a process that looks at callers.
    private static func look(_ channel: Int32, of supervisor: pid_t) -> Never {
        guard chatelaine_die_with_parent(supervisor) == 0 else { _exit(0) }
        Helper.work(HelperChannel(Descriptor(channel)), true, .procReader()) { entry, folder in
            guard let entry = UInt8(exactly: entry).flatMap({ ProcEntry(rawValue: $0) }) else { return (EINVAL, []) }
            let opened = entry.open(in: folder)
            return (opened.error, opened.descriptors)
        }
        _exit(0)
    }
}
