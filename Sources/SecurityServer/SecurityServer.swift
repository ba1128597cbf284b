import ChatelaineModel

/// The daemon: who is connected, what they may do, and the way of a request to the items and back.
///
/// - `Daemon/`: start and end of the process, its lock, its socket, its log, what it tells systemd.
/// - `Sessions/`: a connection from handshake to end; each has a thread, and an ``Identity`` that ends with it.
/// - `Items/`: ``KeychainRegistry`` has the keychains, each a ``KeychainSlot`` that opens its ``ItemStore``. ``Keychain`` answers
///   requests about items: it asks ``AccessPolicy`` which access groups a caller has and has the store do the work.
/// - `Keys/`: ``EnclaveConnection``, the way to the key custodian, which it starts and starts again.
///
/// Access is decided in one place, ``AccessPolicy``, before an item is looked for. Whatever arrives on a socket is
/// checked as if nobody had checked it before.
public enum SecurityServer {
    /// What `security status` shows.
    public static let version = ChatelaineVersion.number
}
