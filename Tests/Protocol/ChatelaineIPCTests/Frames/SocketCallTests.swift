import ChatelaineIPC
import ChatelaineSystem
import Glibc
import Synchronization
import Testing

/// Tests of the less usual results of system calls.
struct SocketCallTests {
    /// Calls of which every other one is interrupted, and the rest move at most three bytes.
    private static func mean() -> SocketCalls {
        let turn = Counter()
        let system = SocketCalls.system
        return SocketCalls(
            receive: { socket, buffer, ancillary in
                guard turn.next() % 2 == 1 else { return (-1, EINTR) }
                return system.receive(socket, UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(3)), &ancillary)
            },
            send: { socket, bytes, descriptors in
                guard turn.next() % 2 == 1 else { return (-1, EINTR) }
                return system.send(socket, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)), descriptors)
            })
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    private static func failing(_ error: Int32) -> SocketCalls {
        SocketCalls(
            wait: { _, _, _ in error == EAGAIN ? (0, 0) : (1, 0) }, receive: { _, _, _ in (-1, error) },
            send: { _, _, _ in (-1, error) })
    }

    @Test func shortAndInterruptedCalls() throws {
        let (channel, raw) = try RawSocket.pair(calls: Self.mean())
        let content = [UInt8](0..<200)
        try raw.send(frame(content) + frame([7]))
        #expect(try channel.next().bytes == content)
        #expect(try channel.next().bytes == [7])
        try channel.send { $0.write(content) }
        #expect(try raw.receive(206) == frame([0x58, 200] + content))
    }

    @Test func descriptorsGoWithTheFirstPieceOnly() throws {
        let sent = Mutex<[[Int32]]>([])
        let calls = SocketCalls(
            receive: SocketCalls.system.receive,
            send: { _, bytes, descriptors in
                sent.withLock { $0.append(descriptors) }
                return sent.withLock { $0.count } == 1 ? (-1, EINTR) : (min(2, bytes.count), 0)
            })
        let (channel, _) = try RawSocket.pair(calls: calls)
        try channel.send(descriptors: [1, 2]) { $0.write("x") }
        #expect(sent.withLock { $0 } == [[1, 2], [1, 2], [], []])
    }

    @Test(arguments: [
        (EAGAIN, FrameError.timedOut), (EPIPE, .closed), (ECONNRESET, .closed), (EIO, .system(EIO)),
    ])
    func failures(_ error: Int32, _ expected: FrameError) throws {
        let (channel, _) = try RawSocket.pair(calls: Self.failing(error))
        #expect(throws: expected) { try channel.send { $0.write("x") } }
        if error != EPIPE { #expect(throws: expected) { try channel.next(waits: false) } }
    }

    /// Other programs of the user can have the kernel refuse descriptors; the stream is whole then.
    @Test(arguments: [ETOOMANYREFS, ENOBUFS, ENOMEM]) func whatTheKernelRefusesIsNotHalfSent(_ error: Int32) throws {
        let turn = Counter()
        let system = SocketCalls.system
        let calls = SocketCalls(
            receive: system.receive,
            send: { socket, bytes, descriptors in
                switch turn.next() {
                case 0, 3: (-1, error)
                case 2: system.send(socket, UnsafeRawBufferPointer(rebasing: bytes.prefix(1)), descriptors)
                default: system.send(socket, bytes, descriptors)
                }
            })
        let (channel, raw) = try RawSocket.pair(calls: calls)
        #expect(throws: FrameError.refused(error)) { try channel.send { $0.write([UInt8(1)]) } }
        #expect(throws: FrameError.tooLong(2)) { try channel.send(limit: 1) { $0.write([UInt8(1)]) } }
        try channel.send(limit: 2) { $0.write([UInt8(2)]) }
        #expect(try raw.receive(6) == frame([0x41, 2]))
        #expect(throws: FrameError.system(error)) { try channel.send { $0.write([UInt8(3)]) } }
    }

    @Test func theFirstByteMayTakeLongerThanPatience() throws {
        let turn = Counter()
        let system = SocketCalls.system
        let calls = SocketCalls(
            receive: { socket, buffer, ancillary in
                turn.next() < 5 ? (-1, EAGAIN) : system.receive(socket, buffer, &ancillary)
            }, send: system.send)
        let (channel, raw) = try RawSocket.pair(calls: calls)
        try raw.send(frame([1]))
        #expect(try channel.next(waits: true).bytes == [1])
    }

    @Test func aByteNowAndThenIsNoFrame() throws {
        // Bytes arrive singly, each within the time of its own call but too slowly for the whole frame.
        let calls = SocketCalls(
            receive: { _, buffer, _ in
                buffer[0] = 1
                return (1, 0)
            }, send: { _, _, _ in (1, 0) })
        let (channel, _) = try RawSocket.pair(calls: calls)
        channel.setPatience(seconds: 0)
        #expect(throws: FrameError.timedOut) { try channel.next(limit: .max) }
    }
}
