import ChatelaineModel

/// The daemon: it accepts connections, decides what each caller may do, and carries requests to the items and back.
///
/// - `Daemon/`: start and end of the process, its lock, its socket, its log, its messages to systemd.
/// - `Sessions/`: a connection from handshake to end. Each has a thread, and an ``Identity`` that ends with it.
/// - `Handlers/`: one handler for each family of requests. A handler calls into the other folders.
/// - `Access/`: ``AccessDecider``s, the first of them ``AccessPolicy``, say what a ``Caller`` may do with a row.
///   ``Inquiries`` has a request wait for a person where a decider asks for one.
/// - `Dialogs/`: ``DialogQueue`` asks people, by a process of its own for each dialog (``AgentDialog``).
/// - `Keychains/`: ``KeychainRegistry`` has the data protection keychains, each a ``KeychainSlot`` that opens its
///   ``ItemStore``. ``Keychain`` answers requests about items: it asks ``AccessPolicy`` which access groups a caller
///   has, and has the store do the work.
/// - `FileKeychains/`: ``FileKeychainRegistry`` has the file keychains that are known, each a ``FileKeychainSlot``.
///   ``FileKeychainItems`` answers requests about their items.
/// - `Preferences/`: search list and default keychain of the user and the machine.
/// - `Certificates/`: searches for certificates and identities, whose verdicts trustd gives.
/// - `Trust/`: ``TrustService`` collects what an evaluation depends on, the person's and root's settings among it, and
///   has trustd judge.
/// - `Biometrics/`: ``FingerprintMatcher`` has a helper speak to fprintd (``FprintClient``) for the key custodian.
/// - `Helpers/`: ``Helpers`` are the processes that do what securityd's sandbox forbids, and those that parse untrusted
///   data.
/// - `Changes/`: ``ChangeSubscriptions`` and ``KeychainEventSubscriptions`` tell subscribers of what has happened, over
///   connections that carry nothing else (``SubscriptionList``).
/// - `SystemEvents/`: a helper hears logind on the system bus (``SystemEvents``). The events lock keychains, and do
///   nothing else.
/// - `Keys/`: ``EnclaveConnection`` is the connection to the key custodian. It starts the custodian, and starts it
///   again.
///
/// ``AccessPolicy`` decides which groups a search covers before the search begins. ``Authorisation`` decides about each
/// row before anything is done with the row. Whatever arrives on a socket is checked as if nobody had checked it
/// before.
package enum SecurityServer {
    /// The version that `security status` shows.
    package static let version = ChatelaineVersion.number
}
