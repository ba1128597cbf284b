import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Moves frames over a connected stream socket, which it owns: a head of four bytes, little-endian, and as many bytes of
/// CBOR as it says. The head's highest bit says that the message goes on in another frame.
///
/// A channel serves one thread at a time. Bytes received are kept in secret memory and wiped after each frame.
package final class FrameChannel {
    /// What is asked about each piece of a frame as it arrives; throws to refuse the channel. The pidfd is lent.
    package typealias Inspection = (_ sender: MessageSender?, _ pidfd: Int32) throws -> Void

    /// Which side of the channel this is.
    package enum Side: Sendable {
        /// Sends a request and waits for what it leads to.
        case client
        /// Finds the next request there already, more often than not, where both sides share a processor: it looks
        /// before it waits.
        case server
    }

    package let socket: Int32
    private let side: Side
    @exclusivity(unchecked) private var calls: SocketCalls
    /// Who closes what comes from a stranger; nil where the peer is one of us.
    private let closer: (any DescriptorClosing)?
    // A channel serves one thread, and lends its buffers to closures that do not come back to it: looking at every access
    // whether another one is under way would cost a twentieth of a look-up.
    @exclusivity(unchecked) private var incoming = SecretBuffer(capacity: 2048)
    /// Where the next frame starts in `incoming`.
    private var start = 0
    @exclusivity(unchecked) private var outgoing = CBORWriter(capacity: 2048)
    /// How long one frame may take that comes, and all together that go, in nanoseconds; nil waits for ever.
    private var patience: Int?
    /// When everything has to be over, on the clock of ``now``; nil for a channel that may stay.
    private var deadline: Int?
    /// How long the peer has had us wait with what we send since it sent its last frame.
    private var waited = 0

    /// Takes over `socket`, a connected stream socket that closes on exec.
    package init(descriptor socket: Int32, side: Side = .client, calls: SocketCalls = .system) {
        self.socket = socket
        self.side = side
        self.calls = calls
        closer = nil
    }

    /// Takes over the socket of a stranger that connected: only sealed anonymous files may come with its frames, one with
    /// each piece, and whatever else does ends the channel and is closed by `closer`.
    package init(stranger socket: Int32, closer: any DescriptorClosing) {
        self.socket = socket
        side = .server
        calls = .guarded
        self.closer = closer
    }

    deinit {
        if let closer { closer.dispose(connection: Descriptor(socket)) } else { close(socket) }
    }

    /// Has the kernel refuse descriptors from now on, where it can (Linux 6.16); elsewhere each message stays guarded.
    ///
    /// - Throws: ``FrameError/unexpected`` where something came already, with whatever may be attached to it.
    package func refuseDescriptors() throws(FrameError) {
        guard chatelaine_refuse_descriptors(socket) == 0 else { return }
        guard chatelaine_peek(socket) <= 0 else { throw .unexpected }
        calls = .system
    }

    /// Lets descriptors of a stranger in again for a message in which they are announced, looked at as at first.
    ///
    /// - Parameter look: which others than sealed files are taken in.
    package func admitDescriptors(_ look: SocketCalls.Look? = nil) {
        // Where the kernel cannot refuse them, they were never refused.
        _ = chatelaine_admit_descriptors(socket)
        if closer != nil { calls = look.map { .guarded(by: $0) } ?? .guarded }
    }

    /// Gives up on a peer that begins a frame and does not end it, or does not read.
    ///
    /// The limit is for the whole of a frame that comes, so that a byte now and then does not keep a thread, and for all frames that go
    /// between two of the peer's: it may have us wait so long for a reply to be read, in however many pieces.
    package func setPatience(seconds: Int = FrameLimits.patienceSeconds) { patience = seconds * Self.second }

    /// Waits for the peer as long as it takes, as a new channel does.
    package func removePatience() { patience = nil }

    /// Gives up when so many seconds are over, whatever comes and goes until then; nil takes the limit away.
    package func setDeadline(seconds: Int?) { deadline = seconds.map { Self.now + $0 * Self.second } }

    private static let second = 1_000_000_000

    private static var now: Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * second + now.tv_nsec
    }

    /// Whether something comes within so many milliseconds, or the peer is gone; false, too, where that cannot be found out.
    package func hasInput(within milliseconds: Int32 = 0) -> Bool { calls.wait(socket, POLLIN, milliseconds).count > 0 }

    /// Whether bytes came beyond the frame that is, or was last, lent.
    package private(set) var hasSurplus = false
    /// Whether the message goes on in another frame than the one that is, or was last, lent.
    package private(set) var isContinued = false

    /// Waits for one frame, lends its content to `body`, and wipes it.
    ///
    /// - Parameters:
    ///   - limit: the longest frame accepted, in bytes.
    ///   - mayContinue: whether its message may go on in another frame (``isContinued``); refused otherwise.
    ///   - waits: whether to wait for its first byte longer than the patience set.
    ///   - reserve: asked once with the frame's length before memory is spent on it; throws to refuse.
    ///   - inspect: see ``Inspection``.
    /// - Throws: ``FrameError``, and what the closures throw.
    package func withFrame<Result>(
        limit: Int, mayContinue: Bool = false, waits: Bool = true, reserve: (Int) throws -> Void = { _ in },
        inspect: Inspection? = nil,
        _ body: (UnsafeRawBufferPointer, borrowing DescriptorList) throws -> Result
    ) throws -> Result {
        var descriptors = DescriptorList()
        var limitOfFrame: Int?
        waited = 0
        while incoming.count - start < 4 {
            let isFirst = incoming.count == start
            if !isFirst || !waits { try check(&limitOfFrame) }
            try receive(atLeast: 2048, until: limitOfFrame, inspect, into: &descriptors)
        }
        let head = incoming.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        }
        isContinued = mayContinue && head & FrameLimits.continuationBit != 0
        // Where no message may go on, the bit makes a length that is beyond every limit.
        let length = isContinued ? head & ~FrameLimits.continuationBit : head
        guard length <= UInt32(clamping: limit) else { throw FrameError.tooLong(length) }
        let end = start + 4 + Int(length)
        hasSurplus = false
        if incoming.count < end {
            try reserve(Int(length))
            incoming.reserve(end - incoming.count)
            // The peer is not to pay for what it had to wait for.
            limitOfFrame = nil
        }
        while incoming.count < end {
            try check(&limitOfFrame)
            try receive(atLeast: end - incoming.count, until: limitOfFrame, inspect, into: &descriptors)
        }
        hasSurplus = incoming.count > end
        defer { forget(upTo: end) }
        return try incoming.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[(start + 4)..<end]), descriptors)
        }
    }

    /// Wipes the frame that ended at `end`; what came beyond it moves to the front of fresh memory.
    private func forget(upTo end: Int) {
        start = 0
        guard hasSurplus else { return incoming.reset() }
        var rest = SecretBuffer(capacity: 2048)
        incoming.withUnsafeBytes { rest.append(UnsafeRawBufferPointer(rebasing: $0[end...])) }
        incoming = rest
    }

    /// Sets the limit of a frame at its first call, and throws once it is over.
    private func check(_ limit: inout Int?) throws(FrameError) {
        guard patience != nil || deadline != nil else { return }
        let now = Self.now
        if limit == nil { limit = patience.map { now + $0 } }
        guard now <= min(limit ?? .max, deadline ?? .max) else { throw .timedOut }
    }

    /// poll(2) until then, or until the channel's deadline.
    private func awaitEvent(_ events: Int32, until limit: Int?) throws(FrameError) {
        while true {
            var milliseconds: Int32 = -1
            if limit != nil || deadline != nil {
                let left = min(limit ?? .max, deadline ?? .max) - Self.now
                // Rounded up: an early end of the wait would be another one.
                milliseconds = Int32(clamping: max(0, (left + 999_999) / 1_000_000))
            }
            let result = calls.wait(socket, events, milliseconds)
            if result.count > 0 { return }
            if result.count == 0 { throw .timedOut }
            guard result.error == EINTR else { throw .system(result.error) }
        }
    }

    /// Waits for the peer to read, as long as it may have us wait for the whole of a reply.
    private func awaitRoom() throws(FrameError) {
        let start = Self.now
        defer { waited += Self.now - start }
        if let patience, waited >= patience { throw .timedOut }
        try awaitEvent(POLLOUT, until: patience.map { start + $0 - waited })
    }

    private func receive(
        atLeast room: Int, until limit: Int?, _ inspect: Inspection?, into descriptors: inout DescriptorList
    ) throws {
        var ancillary = chatelaine_ancillary()
        ancillary.pidfd = -1
        defer { if ancillary.pidfd >= 0 { close(ancillary.pidfd) } }
        var failure: Int32 = limit == nil && side == .server ? 0 : EAGAIN
        repeat {
            if failure == EAGAIN { try awaitEvent(POLLIN, until: limit) }
            let count = incoming.append(capacity: min(room, 256 * 1024)) { buffer in
                let result = calls.receive(socket, buffer, &ancillary)
                failure = result.error
                return result.count
            }
            if count == 0 { throw FrameError.closed }
            if count > 0 { failure = 0 }
        } while failure == EINTR || failure == EAGAIN
        // Copies of what must not be taken in are there as well.
        descriptors.take(from: ancillary, closer: closer)
        switch failure {
        case 0: break
        case ECONNRESET: throw FrameError.closed
        case EBADMSG: throw FrameError.unexpected
        default: throw FrameError.system(failure)
        }
        // Each piece of a long frame can bring some: without the sum a peer could use up all descriptors there are.
        guard ancillary.truncated == 0, descriptors.count <= Int(CHATELAINE_MAX_DESCRIPTORS) else {
            throw FrameError.unexpected
        }
        if let inspect {
            let sender = MessageSender(pid: ancillary.pid, uid: ancillary.uid, gid: ancillary.gid)
            try inspect(ancillary.has_credentials != 0 ? sender : nil, ancillary.pidfd)
        }
    }

    /// Sends one frame, whose content `encode` writes, with descriptors that stay the caller's.
    ///
    /// - Parameter isContinued: whether its message goes on in another frame.
    /// - Throws: ``FrameError``. After a failure the stream is cut in the middle of a frame: close the channel.
    package func send(
        descriptors: [Int32] = [], isContinued: Bool = false, _ encode: (inout CBORWriter) throws -> Void
    ) throws {
        withUnsafeBytes(of: UInt32(0)) { outgoing.appendEncoded($0) }
        defer { outgoing.reset() }
        try encode(&outgoing)
        let head = UInt32(outgoing.count - 4) | (isContinued ? FrameLimits.continuationBit : 0)
        withUnsafeBytes(of: head.littleEndian) { outgoing.overwrite(at: 0, with: $0) }
        try outgoing.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let result = calls.send(socket, rest, sent == 0 ? descriptors : [])
                if result.count > 0 {
                    sent += result.count
                } else if result.error == EAGAIN {
                    try awaitRoom()
                } else if result.error == EPIPE || result.error == ECONNRESET {
                    throw FrameError.closed
                } else if result.error != EINTR {
                    throw FrameError.system(result.error)
                }
            }
        }
    }
}

/// The process that sent a piece of a stream, as the kernel says.
package struct MessageSender: Hashable, Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
}
