/// The process that sent a piece of a stream, as the kernel says.
package struct MessageSender: Hashable, Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
}
