import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
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
        var pair: SocketPair
        do throws(Errno) { pair = try SocketPair() } catch { return nil }
        let channel = FrameChannel(descriptor: pair.takeOurs())
        let pid: pid_t
        do throws(KeychainError) { pid = try starter.start(channel: pair.theirs.number) } catch { return nil }
        pair.closeTheirs()
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
