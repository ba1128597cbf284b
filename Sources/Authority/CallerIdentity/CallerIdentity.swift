/// Who is calling: from the process behind a message to an identifier, and how sure it is.
///
/// **The way of one connection.** The daemon receives the first message with a pidfd and credentials, and makes a
/// ``ProcessHandle``. It takes an ``ExecutableSnapshot``, sends the nonce, receives the reply, checks
/// ``ProcessHandle/isSameProcess(pidfd:pid:)`` and ``ExecutableSnapshot/isStillRunning()``, and asks ``IdentityResolver``
/// for the ``Identity``. At every later message it repeats those two checks and ``IdentityResolver/refreshed(_:_:)``.
/// Before a program stores an item it calls ``IdentityResolver/pin(_:)``.
///
/// **Where the rules sit.** Who sent a message: ``ProcessHandle``. Which file runs: ``ExecutableSnapshot``. What a path
/// is: `CanonicalPath`, compared by bytes; what it is worth: `CanonicalFile`, `FileSystemKind`, `IdentityResolver+Place`. Which identifier follows:
/// `IdentityResolver+Verdict`. Which programs speak for nobody in particular: `SharedPrograms`, ``AddedInterpreters``. What the user decided:
/// ``ApplicationLedger``, with `DevelopmentRule`. What a caller may do is not decided here.
///
/// **Lifetimes.** A handle and a snapshot live as long as their connection: five descriptors. Resolver, ledger and
/// ``DigestCache`` live as long as the daemon, and may be used from any thread.
///
/// **Failing.** A caller that cannot be identified is ``Unidentified``, with a text that says what helps; it is never
/// taken for another. A ledger that does not authenticate stops the daemon's use of it. What the words of ``Assurance`` are worth: `Documentation/decisions/0002-caller-identity.md`.
///
/// System calls are made in `IdentityCalls` alone.
package enum CallerIdentity {}
