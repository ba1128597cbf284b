import CChatelaine
import ChatelaineIPC
import ChatelaineModel

/// A worker that was started and has no question yet.
// `@unchecked Sendable`: only the thread that took the worker from its place uses it.
final class WorkerProcess: @unchecked Sendable {
    private let starter: any WorkerStarting
    private let started: WorkerHandle
    private let channel: FrameChannel
    private var hasFailed = false

    init(_ starter: any WorkerStarting) throws(KeychainError) {
        self.starter = starter
        started = try starter.start()
        channel = FrameChannel(descriptor: started.channel)
    }

    /// Whether the process waits for a question.
    ///
    /// One that has ended, or speaks unasked, is useless.
    var isReady: Bool { !channel.hasInput() }

    /// Sends the one question; nil where the process ended or took too long.
    ///
    /// - Parameters:
    ///   - limit: the size of the largest answer in bytes.
    ///   - read: reads the answer; what it refuses counts as no answer.
    func ask<Reply>(
        within seconds: Int, limit: Int, _ write: (inout CBORWriter) -> Void,
        read: (UnsafeRawBufferPointer) throws -> Reply
    ) -> Reply? {
        channel.setDeadline(seconds: seconds)
        do {
            try channel.send { write(&$0) }
            return try channel.withFrame(limit: limit) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try read(frame)
            }
        } catch {
            hasFailed = true
            return nil
        }
    }

    func end() { starter.end(started, failed: hasFailed) }
}
