/// Why a channel is of no more use.
public enum FrameError: Error, Equatable, Sendable {
    /// The peer closed the stream, at the end of a frame or within one.
    case closed
    /// The frame is longer than it may be at this point.
    case tooLong(UInt32)
    /// More bytes than one frame where only one was due, or descriptors where none belong.
    case unexpected
    /// The time limit for the rest of a frame, or for a peer that does not read, is over.
    case timedOut
    /// A system call failed.
    case system(Int32)
}
