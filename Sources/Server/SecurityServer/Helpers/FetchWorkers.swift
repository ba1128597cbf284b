import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import FetchProtocol
import Glibc

/// Asks one server, whose name a stranger has chosen.
protocol ServerAsking: Sendable {
    /// Waits for the answer; nil where no process could ask, which says nothing about the server.
    func ask(_ request: FetchRequest) -> FetchReply?
}

/// Asks servers, each question by a process of its own.
struct FetchWorkers: ServerAsking {
    /// Seconds beyond the time of the question: for the start of the process, and the transfer of the answer.
    static let spareSeconds = 3

    private let starter: any ProcessStarting
    private let spareSeconds: Int

    init(_ starter: any ProcessStarting, spareSeconds: Int = spareSeconds) {
        self.starter = starter
        self.spareSeconds = spareSeconds
    }

    func ask(_ request: FetchRequest) -> FetchReply? {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { return nil }
        let channel = FrameChannel(descriptor: pair[0])
        let pid: pid_t?
        do throws(KeychainError) { pid = try starter.start(channel: pair[1]) } catch { pid = nil }
        // With this end open here as well, the channel would not show the end of the process.
        close(pair[1])
        guard let pid else { return nil }
        defer { starter.end(pid) }
        channel.setDeadline(seconds: request.seconds + spareSeconds)
        do {
            try channel.send { request.encode(to: &$0) }
            return try channel.withFrame(limit: FetchWire.maximumReplyBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try FetchReply(frame: frame)
            }
        } catch {
            // Whatever ended or delayed the process, a server that can do that is not asked again at once.
            return .failure(.timedOut)
        }
    }
}
