import ChatelaineModel

/// Sizes and times of frames (behaviour/limits.md, 6 to 9).
package enum FrameLimits {
    /// A request: the largest secret, all attributes, and room for the rest.
    package static let requestBytes = 17 * 1024 * 1024
    /// A frame before the handshake is done, from a process that nobody knows yet.
    package static let handshakeBytes = 4 * 1024
    /// A frame of a reply; longer replies come in several.
    package static let replyBytes = 1024 * 1024
    /// A notification of a change, which names a keychain at the most.
    package static let notificationBytes = 256
    /// An event of a file keychain, which names a path.
    package static let keychainEventBytes = KeychainPlace.maximumBytes + 256
    /// In the head of a frame: its message goes on in the next one. No length reaches as far.
    static let continuationBit: UInt32 = 1 << 31
    /// How long the rest of a frame may take once it began, and how long a peer may leave its replies unread.
    package static let patienceSeconds = 10
}
