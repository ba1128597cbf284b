/// How the processes of Chatelaine talk: frames over Unix sockets, and the messages in them.
///
/// - `Frames/`: ``FrameChannel`` moves length-prefixed CBOR over a stream socket and tells of every piece which process
///   sent it. Blocking, one thread at a time.
/// - `Messages/`: handshake, requests and replies, and their encodings (`Documentation/formats/wire.md`). A folder for each
///   family of requests; ``Operation`` is the table of all.
/// - `Deployment/`: where socket, data and daemons are, decided the same way at both ends.
/// - `Client/`: ``KeychainClient``, which a program's calls end in: a pool of connections, one call at a time on each;
///   the start of the daemon where none runs; the repetition of a call that a dying daemon left unanswered.
///
/// Nothing here decides who may do what.
package enum ChatelaineIPC {}
