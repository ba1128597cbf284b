import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox

/// The helper that starts the processes that look at callers, and ends those that do not come back: securityd makes no process.
///
/// It looks at nobody, so that nobody can keep it from its work.
struct ProcHelperSupervisor: Sendable {
    /// Helpers there may be at one time, with those that were killed and have not ended: a wait in the kernel that no signal
    /// ends. Twice as many as work, so that as many can hang for good before no more are started.
    static let mostProcesses = 2 * DelegatedProcReader.mostProcHelpers

    private static let start: Int32 = 0

    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    init() throws(KeychainError) {
        var procHelpers: Set<pid_t> = []
        helper = try Helper("securityd-look", .procReader, .overseer()) { order, _ in Self.carryOut(order, &procHelpers)
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

    /// Kills a helper that this one has started.
    func kill(_ pid: pid_t) { _ = helper.ask(pid) }

    // MARK: In the helper

    private static func carryOut(_ order: Int32, _ procHelpers: inout Set<pid_t>) -> (Int32, [Int32]) {
        while case let pid = waitpid(-1, nil, WNOHANG), pid > 0 { procHelpers.remove(pid) }
        guard order == start else {
            // One that has ended may have left its number to somebody else.
            if procHelpers.contains(order) { Glibc.kill(order, SIGKILL) }
            return (0, [])
        }
        guard procHelpers.count < mostProcesses else { return (-EAGAIN, []) }
        var channel: Int32 = -1
        let overseer = getpid()
        let pid = chatelaine_helper_fork(&channel)
        guard pid >= 0 else { return (-errno, []) }
        if pid == 0 { look(channel, of: overseer) }
        procHelpers.insert(pid)
        return (pid, [channel])
    }

    /// A helper's life.
    private static func look(_ channel: Int32, of overseer: pid_t) -> Never {
        guard chatelaine_die_with_parent(overseer) == 0 else { _exit(0) }
        Helper.work(HelperChannel(Descriptor(channel)), true, .procReader()) { entry, folder in
            guard let entry = UInt8(exactly: entry).flatMap({ ProcEntry(rawValue: $0) }) else { return (EINVAL, []) }
            let opened = entry.open(in: folder)
            return (opened.error, opened.descriptors)
        }
        _exit(0)
    }
}
