import CChatelaine
import ChatelaineIPC
import Glibc
import ServerIPC
import TestSupport

/// A running program that forks workers, and a worker of it, with the test in securityd's place.
package final class ForkServerRun {
    package let process: ChildProcess
    package let orders: ForkServerClient
    /// The worker's process.
    package let pid: UInt32
    package let channel: FrameChannel

    package init(_ program: String) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw FrameError.system(errno) }
        defer { close(pair[1]) }
        orders = ForkServerClient(descriptor: pair[0], patience: 30)
        process = try ChildProcess(
            [BuildFolder.program(program)], environment: ["LC_ALL=C.UTF-8"], files: [(pair[1], 3)],
            inheritsOthers: false)
        guard case .worker(let worker, let socket) = orders.start() else { throw FrameError.timedOut }
        pid = worker
        channel = FrameChannel(descriptor: socket)
        channel.setDeadline(seconds: 30)
    }

    /// Has the program fork one more worker; nil where it forks none.
    package func startAnother() -> (pid: UInt32, channel: Int32)? {
        guard case .worker(let pid, let channel) = orders.start() else { return nil }
        return (pid, channel)
    }

    /// Sends bytes that need not be a frame.
    package func sendRaw(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(channel.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Whether the worker ends by itself; the program reaps it at the next fork.
    package func ends() -> Bool {
        for _ in 0..<3000 {
            guard let state = status.fact("State"), !state.hasPrefix("Z") else { return true }
            usleep(10_000)
        }
        return false
    }

    /// The worker's status.
    package var status: ProcessStatus { ProcessStatus(of: pid_t(pid)) }

    /// Waits until the worker has the program's filter and its own.
    package func waitUntilShutIn() throws { try status.waitUntilShutIn(filters: 2) }
}
