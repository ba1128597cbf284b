/// The process that sent a piece of a stream, as the kernel says.
public struct MessageSender: Hashable, Sendable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32
}
