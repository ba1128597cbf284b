import ChatelaineMemory
import ChatelaineModel

/// Writes one reply to a channel, in pieces once it is larger than one.
///
/// What is written is sent as soon as a piece is full, so that a listing of any length takes no more memory than that.
public struct ReplyStream: ~Copyable {
    private let channel: FrameChannel
    private var writer = CBORWriter(capacity: 1024)

    public init(to channel: FrameChannel) { self.channel = channel }

    /// Adds to the reply; throws ``FrameError`` when the client is gone.
    public mutating func write(_ encode: (inout CBORWriter) throws -> Void) throws {
        try encode(&writer)
        guard writer.count > FrameLimits.replyPieceBytes else { return }
        try send(isLast: false)
    }

    /// Sends what is left; the reply is complete.
    public consuming func finish() throws { try send(isLast: true) }

    private mutating func send(isLast: Bool) throws {
        try writer.withUnsafeBytes { bytes in
            var start = 0
            repeat {
                let end = min(bytes.count, start + FrameLimits.replyPieceBytes)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                try channel.send { ReplyPiece.encode(piece, isLast: isLast && end == bytes.count, to: &$0) }
                start = end
            } while start < bytes.count
        }
        writer.reset()
    }
}
