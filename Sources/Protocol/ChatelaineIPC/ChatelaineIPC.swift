/// How the processes of Chatelaine talk: frames over Unix sockets, and the messages in them.
///
/// - `Frames/`: ``FrameChannel`` moves length-prefixed CBOR over a stream socket and tells which process sent each
///   piece. It blocks, and serves one thread at a time.
/// - `Messages/`: handshake, requests, replies and their encodings (`Documentation/formats/wire.md`). Each family of
///   requests has a folder; ``Operation`` is the table of all requests.
/// - `Deployment/`: where the socket, the data and the daemons are. Client and daemon decide this by the same code.
/// - `Client/`: ``KeychainClient``, through which all calls of a program go. It keeps a pool of connections with one
///   call at a time on each. It starts the daemon where none runs, and repeats a call that a dying daemon left
///   unanswered.
///
/// This module does not decide who may do what.
package enum ChatelaineIPC {}
