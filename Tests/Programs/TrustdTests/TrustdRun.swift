import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import Glibc
import ServerIPC
import TestSupport
import TrustProtocol

/// A running trustd and a worker of it, with the test in securityd's place.
final class TrustdRun {
    let process: ChildProcess
    let orders: ForkServerClient
    /// The worker's process.
    let pid: UInt32
    let channel: FrameChannel

    init() throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw FrameError.system(errno) }
        defer { close(pair[1]) }
        orders = ForkServerClient(descriptor: pair[0], patience: 30)
        process = try ChildProcess(
            [BuildFolder.program("trustd")], environment: ["LC_ALL=C.UTF-8"], files: [(pair[1], 3)],
            inheritsOthers: false)
        guard let worker = orders.start() else { throw FrameError.timedOut }
        pid = worker.pid
        channel = FrameChannel(descriptor: worker.channel)
        channel.setDeadline(seconds: 30)
    }

    func ask(_ request: TrustRequest) throws -> TrustReply {
        try channel.send { request.encode(to: &$0) }
        return try reply()
    }

    func reply() throws -> TrustReply {
        try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, _ in try TrustReply(frame: frame) }
    }

    /// Sends bytes that need not be a frame.
    func sendRaw(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(channel.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Whether the worker ends by itself; trustd reaps it at the next fork.
    func ends() -> Bool {
        for _ in 0..<3000 {
            guard let state = status.fact("State"), !state.hasPrefix("Z") else { return true }
            usleep(10_000)
        }
        return false
    }

    /// The worker's status.
    var status: ProcessStatus { ProcessStatus(of: pid_t(pid)) }

    /// Waits until the worker has trustd's filter and its own.
    func waitUntilShutIn() throws { try status.waitUntilShutIn(filters: 2) }
}
