import CChatelaine
import Glibc

/// The system calls of a channel; the one seam at which tests make them fail.
///
/// It is a structure of closures, as all such seams: a test takes ``system`` and replaces some. These closures return
/// what the calls return and throw nothing, since "nothing yet" is usual in a look-up. The result is a count, 0 at the
/// end of the stream or of the time, or -1 with the error.
package struct SocketCalls: Sendable {
    /// Waits by poll(2) for input (POLLIN), or for room to send (POLLOUT); milliseconds, -1 for ever.
    ///
    /// The kernel also wakes a thread that waits in recvmsg(2) when the peer takes what was sent. The thread then finds
    /// nothing: one needless process switch for each call. poll(2) wakes only for the event that it waits for.
    package var wait: @Sendable (_ socket: Int32, _ events: Int32, _ milliseconds: Int32) -> (count: Int, error: Int32)
    /// Calls recvmsg(2); EAGAIN where nothing is there yet, EBADMSG where a descriptor must not be accepted.
    package var receive:
        @Sendable (Int32, UnsafeMutableRawBufferPointer, inout chatelaine_ancillary) -> (count: Int, error: Int32)
    /// Calls sendmsg(2) for as many bytes as there is room for; EAGAIN where there is none.
    package var send: @Sendable (Int32, UnsafeRawBufferPointer, [Int32]) -> (count: Int, error: Int32)

    package init(
        wait: @escaping @Sendable (Int32, Int32, Int32) -> (count: Int, error: Int32) = SocketCalls.poll,
        receive:
            @escaping @Sendable (Int32, UnsafeMutableRawBufferPointer, inout chatelaine_ancillary) -> (
                count: Int, error: Int32
            ),
        send: @escaping @Sendable (Int32, UnsafeRawBufferPointer, [Int32]) -> (count: Int, error: Int32)
    ) {
        self.wait = wait
        self.receive = receive
        self.send = send
    }

    package static func poll(_ socket: Int32, _ events: Int32, _ milliseconds: Int32) -> (count: Int, error: Int32) {
        var entry = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
        // SAFETY: the call reads and writes the one entry.
        let count = Glibc.poll(&entry, 1, milliseconds)
        return (Int(count), count < 0 ? errno : 0)
    }

    package static let system = SocketCalls(
        receive: { socket, buffer, ancillary in
            // SAFETY: the call writes at most `buffer.count` bytes to the buffer, and fills the structure.
            let count = chatelaine_receive(socket, buffer.baseAddress, buffer.count, 0, &ancillary)
            return (count, count < 0 ? errno : 0)
        },
        send: { socket, bytes, descriptors in
            // SAFETY: the call reads `bytes.count` bytes and as many descriptors as the array has.
            let count = chatelaine_send(
                socket, bytes.baseAddress, bytes.count, 0, descriptors, Int32(clamping: descriptors.count))
            return (count, count < 0 ? errno : 0)
        })

    /// Whether a stranger's descriptor can be read and closed without blocking; 0 if not.
    package typealias Look = @convention(c) (Int32) -> Int32

    /// The calls of a channel to a stranger, which check descriptors before they accept them.
    package static let guarded = guarded(by: chatelaine_is_sealed_memfd)

    package static func guarded(by look: Look) -> SocketCalls {
        SocketCalls(
            receive: { socket, buffer, ancillary in
                // SAFETY: the call writes at most `buffer.count` bytes to the buffer, and fills the structure.
                let count = chatelaine_receive_from_stranger(
                    socket, buffer.baseAddress, buffer.count, look, &ancillary)
                return (count, count < 0 ? errno : 0)
            }, send: system.send)
    }
}
