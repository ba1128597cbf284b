import ChatelaineModel

/// Why a frame was not received or sent.
///
/// After all but ``refused(_:)``, and ``tooLong(_:)`` on sending, the channel cannot be used any more.
package enum FrameError: Error, Equatable, Sendable {
    /// The peer closed the stream, at the end of a frame or within one.
    case closed
    /// The frame is longer than the limit at this point of the protocol.
    case tooLong(UInt32)
    /// More bytes than the one frame that was due, or descriptors where none are allowed.
    case unexpected
    /// The time limit for the rest of a frame, or for a peer that does not read, is over.
    case timedOut
    /// The kernel takes no message at this moment. Nothing was sent, and the channel goes on.
    ///
    /// ETOOMANYREFS means that unread messages hold more descriptors of the user than this process may have open
    /// (unix(7)). Any program of the user can cause that, so it says nothing about the peer.
    case refused(Int32)
    /// A system call failed.
    case system(Int32)
}

extension FrameError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the other side closed it"
        case .tooLong(let count): "a frame of \(count) bytes is longer than it may be"
        case .unexpected: "more came than was due"
        case .timedOut: "the other side took too long"
        case .refused(let number), .system(let number): SystemFailure(number).words
        }
    }
}
