/// Why the daemon ends a connection by itself.
enum SessionError: Error {
    /// The kernel did not say who sent a message.
    case unknownSender
    /// A process of another user connected.
    case otherUser
    /// A message came from another process than the one that shook hands.
    case otherProcess
    /// The process runs another executable than when it shook hands.
    case executableChanged
    /// A handshake message came without its descriptor, as redirected output does.
    case noDescriptor
    case wrongNonce
    case unknownVersion
}
