import ChatelaineModel

/// The daemon: who is connected, what they may do, and the way of a request to the items and back.
///
/// - `Daemon/`: start and end of the process, its lock, its socket, its log, what it tells systemd.
/// - `Sessions/`: a connection from handshake to end; each has a thread, and an ``Identity`` that ends with it.
/// - `Handlers/`: what a request comes to, a handler for each family of them; all of it is in the other folders.
/// - `Access/`: ``AccessDecider``s say what a ``Caller`` may do with a row, of which ``AccessPolicy`` is the first; ``Inquiries`` has
///   requests wait for a person where one of them says so.
/// - `Dialogs/`: ``DialogQueue`` asks people, by a process of its own for each dialog (``AgentDialog``).
/// - `Items/`: ``KeychainRegistry`` has the keychains, each a ``KeychainSlot`` that opens its ``ItemStore``. ``Keychain`` answers
///   requests about items: it asks ``AccessPolicy`` which access groups a caller has and has the store do the work.
/// - `Trust/`: ``TrustService`` puts together what counts for an evaluation, the person's and root's settings among it, and has trustd judge.
/// - `Biometrics/`: ``FingerprintMatcher`` has a helper speak to fprintd (``FprintClient``) for the key custodian.
/// - `Helpers/`: ``Helpers`` are the processes that do what securityd's sandbox forbids, and those that read what strangers have written.
/// - `Changes/`: who is told that something changed (``ChangeSubscriptions``), over connections that carry nothing else.
/// - `SystemEvents/`: what logind says on the system bus, heard by a helper (``SystemEvents``); it locks, and nothing else.
/// - `Keys/`: ``EnclaveConnection``, the way to the key custodian, which it starts and starts again.
///
/// Which groups are looked at is decided before an item is looked for (``AccessPolicy``), and about each row before anything is done with
/// it (``Authorisation``). Whatever arrives on a socket is
/// checked as if nobody had checked it before.
package enum SecurityServer {
    /// What `security status` shows.
    package static let version = ChatelaineVersion.number
}
