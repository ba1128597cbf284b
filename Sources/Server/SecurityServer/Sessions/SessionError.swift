/// Why the daemon ends a connection by itself.
enum SessionError: Error {
    /// The kernel did not say who sent a message.
    case unknownSender
    /// A process of another user connected, or the connected process has become another user's.
    case otherUser
    /// A message came from another process than the one that shook hands.
    case otherProcess
    /// The process runs another executable than when it shook hands.
    case executableChanged
    /// A handshake message came without its descriptor, as redirected output does.
    case noDescriptor
    case wrongNonce
    /// The place of the connection was given to another one while its request waited.
    case givenAway
    case unknownVersion
    /// The connection is subscribed to changes of access groups that are no longer the caller's.
    case otherGroups
}

extension SessionError: CustomStringConvertible {
    /// For the log.
    var description: String {
        switch self {
        case .unknownSender: "the kernel does not say who sent a message"
        case .otherUser: "a message came from a process of another user"
        case .otherProcess: "a message came from another process than the first"
        case .executableChanged: "the process executed another program meanwhile"
        case .noDescriptor: "a message of the handshake came without its descriptor"
        case .wrongNonce: "the handshake was answered with another nonce"
        case .givenAway: "its place was given to another connection"
        case .otherGroups: "the access groups of which it was told are no longer its own"
        case .unknownVersion: "it speaks no version of the protocol that this securityd speaks"
        }
    }
}
