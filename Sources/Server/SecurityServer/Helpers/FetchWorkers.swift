import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import FetchProtocol
import Glibc

/// Asks one server, whose name a stranger has chosen.
protocol ServerAsking: Sendable {
    /// Waits for the answer; nil where nobody could ask, which says nothing of the server.
    func ask(_ request: FetchRequest) -> FetchReply?
}

/// Has servers asked, each question by a process of its own.
struct FetchWorkers: ServerAsking {
    /// Beyond what the question gives it: the start of the process, and the way of the answer.
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
        // Were it open here as well, the channel would not tell that the process is gone.
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
            // Whatever had it end, or kept it: a server that can do so is not asked again at once.
            return .failure(.timedOut)
        }
    }
}
