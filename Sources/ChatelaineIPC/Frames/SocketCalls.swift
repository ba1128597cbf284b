import CChatelaine
import Glibc

/// The system calls of a channel; the one seam at which tests make them fail.
///
/// Both answer as the calls do: a count, 0 at the end of the stream, or -1 with the error.
public struct SocketCalls: Sendable {
    public var receive:
        @Sendable (Int32, UnsafeMutableRawBufferPointer, inout chatelaine_ancillary) -> (count: Int, error: Int32)
    public var send: @Sendable (Int32, UnsafeRawBufferPointer, [Int32]) -> (count: Int, error: Int32)

    public init(
        receive:
            @escaping @Sendable (Int32, UnsafeMutableRawBufferPointer, inout chatelaine_ancillary) -> (
                count: Int, error: Int32
            ),
        send: @escaping @Sendable (Int32, UnsafeRawBufferPointer, [Int32]) -> (count: Int, error: Int32)
    ) {
        self.receive = receive
        self.send = send
    }

    public static let system = SocketCalls(
        receive: { socket, buffer, ancillary in
            // SAFETY: the call writes at most `buffer.count` bytes to the buffer, and fills the structure.
            let count = chatelaine_receive(socket, buffer.baseAddress, buffer.count, &ancillary)
            return (count, count < 0 ? errno : 0)
        },
        send: { socket, bytes, descriptors in
            // SAFETY: the call reads `bytes.count` bytes and as many descriptors as the array has.
            let count = chatelaine_send(
                socket, bytes.baseAddress, bytes.count, descriptors, Int32(clamping: descriptors.count))
            return (count, count < 0 ? errno : 0)
        })
}
