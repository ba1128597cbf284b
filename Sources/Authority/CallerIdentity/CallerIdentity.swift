/// Identifies the process behind a message, and states how far that identity can be trusted.
///
/// **One connection.** The daemon receives the first message with a pidfd and credentials, and makes a
/// ``ProcessHandle``. It takes an ``ExecutableSnapshot``, sends the nonce and receives the reply. It checks
/// ``ProcessHandle/isSameProcess(pidfd:pid:)`` and ``ExecutableSnapshot/isStillRunning()``, and asks
/// ``IdentityResolver`` for the ``Identity``. At every later message it repeats those two checks and
/// ``IdentityResolver/refreshed(_:_:)``. Before it stores an item for a program, it calls ``IdentityResolver/pin(_:)``.
///
/// **Where the rules are.**
///
/// - Who sent a message: ``ProcessHandle``.
/// - Which file the process runs: ``ExecutableSnapshot``.
/// - What a path is: `CanonicalPath`, compared by bytes.
/// - How far a path can be trusted: `CanonicalFile`, `FileSystemKind`, `IdentityResolver+Place`.
/// - Which identifier follows: `IdentityResolver+Verdict`.
/// - Which programs act for whoever starts them: `SharedPrograms`, ``AddedInterpreters``.
/// - What the user decided: ``ApplicationLedger``, with `DevelopmentRule`.
///
/// This module does not decide what a caller may do.
///
/// **Lifetimes.** A handle and a snapshot live as long as their connection and hold five descriptors. Resolver, ledger
/// and ``DigestCache`` live as long as the daemon, and any thread may use them.
///
/// **Failures.** A caller that cannot be identified yields ``Unidentified``, whose text says what helps. It is never
/// taken for another program. The daemon stops using a ledger that does not authenticate.
/// `Documentation/decisions/0002-caller-identity.md` says what each value of ``Assurance`` is worth.
///
/// Only `IdentitySystemCalls` makes system calls.
package enum CallerIdentity {}
