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
struct LookerOverseer: Sendable {
    /// Lookers there may be at one time, with those that were killed and have not ended: a wait in the kernel that no signal
    /// ends. Twice as many as work, so that as many can hang for good before no more are started.
    static let mostProcesses = 2 * CallerWitness.mostLookers

    private static let start: Int32 = 0

    private let helper: Helper

    var isConfined: Bool { helper.isConfined }

    /// Forks the helper; call it while there is one thread.
    init() throws(KeychainError) {
        var lookers: Set<pid_t> = []
        helper = try Helper("securityd-look", .witness, .overseer()) { order, _ in Self.carryOut(order, &lookers) }
    }

    func watch(_ body: @escaping @Sendable () -> Void) { helper.watch(body) }

    /// A new looker, or nil where the system has no process left or too many hang.
    func startLooker() -> Looker? {
        guard let (pid, descriptors) = helper.ask(Self.start) else { return nil }
        guard pid > 0, descriptors.count == 1 else {
            for number in descriptors { close(number) }
            if pid > 0 { kill(pid) }
            return nil
        }
        return Looker(pid: pid, channel: HelperChannel(Descriptor(descriptors[0])))
    }

    /// Kills a looker that this one has started.
    func kill(_ pid: pid_t) { _ = helper.ask(pid) }

    // MARK: In the helper

    private static func carryOut(_ order: Int32, _ lookers: inout Set<pid_t>) -> (Int32, [Int32]) {
        while case let pid = waitpid(-1, nil, WNOHANG), pid > 0 { lookers.remove(pid) }
        guard order == start else {
            // One that has ended may have left its number to somebody else.
            if lookers.contains(order) { Glibc.kill(order, SIGKILL) }
            return (0, [])
        }
        guard lookers.count < mostProcesses else { return (-EAGAIN, []) }
        var channel: Int32 = -1
        let overseer = getpid()
        let pid = chatelaine_helper_fork(&channel)
        guard pid >= 0 else { return (-errno, []) }
        if pid == 0 { look(channel, of: overseer) }
        lookers.insert(pid)
        return (pid, [channel])
    }

    /// A looker's life.
    private static func look(_ channel: Int32, of overseer: pid_t) -> Never {
        guard chatelaine_die_with_parent(overseer) == 0 else { _exit(0) }
        Helper.work(HelperChannel(Descriptor(channel)), true, .witness()) { sight, folder in
            guard let sight = UInt8(exactly: sight).flatMap({ Sight(rawValue: $0) }) else { return (EINVAL, []) }
            let sighting = sight.open(in: folder)
            return (sighting.error, sighting.descriptors)
        }
        _exit(0)
    }
}
