import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import TrustProtocol

/// A worker of trustd that was started and has no question yet.
// `@unchecked Sendable`: only the thread that took the worker from its place uses it.
final class TrustProcess: @unchecked Sendable {
    private let starter: any TrustdStarting
    private let started: TrustdHandle
    private let channel: FrameChannel
    private var hasFailed = false

    init(_ starter: any TrustdStarting) throws(KeychainError) {
        self.starter = starter
        started = try starter.start()
        channel = FrameChannel(descriptor: started.channel)
    }

    /// Whether the process waits for a question.
    ///
    /// One that has ended, or speaks unasked, is useless.
    var isReady: Bool { !channel.hasInput() }

    /// Sends the one question; nil where the process ended or took too long.
    func answer(to request: TrustRequest, within seconds: Int) -> TrustReply? {
        channel.setDeadline(seconds: seconds)
        do {
            try channel.send { request.encode(to: &$0) }
            return try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try TrustReply(frame: frame)
            }
        } catch {
            hasFailed = true
            return nil
        }
    }

    func end() { starter.end(started, failed: hasFailed) }
}
