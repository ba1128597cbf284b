import ChatelaineModel

/// Sizes and times of frames (behaviour/limits.md, 6 to 9).
package enum FrameLimits {
    /// A request: the largest secret, all attributes, and room for the rest.
    package static let requestBytes = 17 * 1024 * 1024
    /// A frame before the handshake is done, from a process that is not yet identified.
    package static let handshakeBytes = 4 * 1024
    /// A frame of a reply; longer replies come in several.
    package static let replyBytes = 1024 * 1024
    /// A notification of a change, which names one keychain at the most.
    package static let notificationBytes = 256
    /// An event of a file keychain, which names a path.
    package static let keychainEventBytes = KeychainPlace.maximumBytes + 256
    /// The bit in the head of a frame that says that the message goes on in the next frame; no length is that large.
    static let continuationBit: UInt32 = 1 << 31
    /// The time allowed for the rest of a frame once it began, and for a peer to read its replies.
    package static let patienceSeconds = 10
}
