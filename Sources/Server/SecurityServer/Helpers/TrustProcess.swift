import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import TrustProtocol

/// A trustd that was started and has no question yet.
// `@unchecked Sendable`: one thread has it at a time, the one that took it from where it was kept.
final class TrustProcess: @unchecked Sendable {
    private let starter: any ProcessStarting
    private let pid: pid_t
    private let channel: FrameChannel

    init(_ starter: any ProcessStarting) throws(KeychainError) {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        channel = FrameChannel(descriptor: pair[0])
        // Were it open here as well, the channel would not tell that the process is gone.
        let theirs = Descriptor(pair[1])
        pid = try starter.start(channel: theirs.number)
        self.starter = starter
    }

    /// Whether it waits for a question: one that has ended, or says what it was not asked, is good for nothing.
    var isReady: Bool {
        var look = pollfd(fd: channel.socket, events: Int16(POLLIN), revents: 0)
        return poll(&look, 1, 0) == 0
    }

    /// Puts the one question; nil where it ended or took too long.
    func answer(to request: TrustRequest, within seconds: Int) -> TrustReply? {
        channel.setDeadline(seconds: seconds)
        do {
            try channel.send { request.encode(to: &$0) }
            return try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try TrustReply(frame: frame)
            }
        } catch {
            return nil
        }
    }

    func end() { starter.end(pid) }
}
