import CChatelaine
import Glibc

/// The system calls of a channel; the one seam at which tests make them fail.
///
/// A structure of closures, as all such seams are: a test takes ``system`` and puts its own into the place of some. These
/// answer as the calls do and throw nothing, since "nothing yet" is what a look-up meets on its way: a count, 0 at the end
/// of the stream or of the time, or -1 with the error.
package struct SocketCalls: Sendable {
    /// poll(2) for something to read (POLLIN), or for room to send (POLLOUT); milliseconds, -1 for ever.
    ///
    /// A thread that waits in recvmsg(2) itself is woken by the kernel whenever its peer takes what was sent, only to find
    /// nothing: one switch of processes too many for each call. poll(2) is woken by what it waits for.
    package var wait: @Sendable (_ socket: Int32, _ events: Int32, _ milliseconds: Int32) -> (count: Int, error: Int32)
    /// recvmsg(2); EAGAIN where there is nothing yet, EBADMSG where there is what must not be taken in.
    package var receive:
        @Sendable (Int32, UnsafeMutableRawBufferPointer, inout chatelaine_ancillary) -> (count: Int, error: Int32)
    /// sendmsg(2) of as many bytes as there is room for; EAGAIN where there is none.
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

    /// Whether a descriptor of a stranger's can be read and closed without waiting for anybody: 0 where not.
    package typealias Look = @convention(c) (Int32) -> Int32

    /// Those of a channel to a stranger, whose descriptors are looked at before they are taken in.
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
