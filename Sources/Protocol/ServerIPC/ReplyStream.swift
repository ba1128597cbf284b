import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Writes one reply to a channel, in several frames where it is longer than one frame.
///
/// A frame is sent as soon as it is full, so that a listing of any length takes the memory of one frame.
package struct ReplyStream: ~Copyable {
    private let channel: FrameChannel
    private var writer = CBORWriter(capacity: 1024)

    package init(to channel: FrameChannel) { self.channel = channel }

    /// Adds to the reply; throws ``FrameError`` where the client is gone.
    package mutating func write(_ encode: (inout CBORWriter) throws -> Void) throws {
        try encode(&writer)
        guard writer.count > FrameLimits.replyBytes else { return }
        try send(isLast: false)
    }

    /// Sends the rest, which completes the reply.
    package consuming func finish() throws { try send(isLast: true) }

    private mutating func send(isLast: Bool) throws {
        try writer.withUnsafeBytes { bytes in
            var start = 0
            repeat {
                let end = min(bytes.count, start + FrameLimits.replyBytes)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                try channel.send(isContinued: !isLast || end < bytes.count) { $0.appendEncoded(piece) }
                start = end
            } while start < bytes.count
        }
        writer.reset()
    }
}
