import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Moves frames over a connected stream socket, which it owns.
///
/// A frame is a head of four bytes, little-endian, and as many bytes of CBOR as the head says. The head's highest bit
/// says that the message goes on in another frame.
///
/// A channel serves one thread at a time. It keeps received bytes in secret memory and wipes them after each frame.
package final class FrameChannel {
    /// Called for each piece of a frame as the piece arrives; throws to refuse the channel. The pidfd is lent.
    package typealias Inspection = (_ sender: MessageSender?, _ pidfd: Int32) throws -> Void

    /// Which side of the channel this is.
    package enum Side: Sendable {
        /// Sends a request and waits for the reply.
        case client
        /// Looks for the next request before it waits: where both sides share a processor, the request is usually there
        /// already.
        case server
    }

    package let socket: Int32
    private let side: Side
    @exclusivity(unchecked) private var calls: SocketCalls
    /// Closes what comes from a stranger; nil where the peer is one of our own processes.
    private let closer: (any DescriptorClosing)?
    // The exclusivity checks are off for the buffers: a channel serves one thread and lends its buffers only to
    // closures that never call the channel. The checks would cost a twentieth of a look-up.
    @exclusivity(unchecked) private var incoming = SecretBuffer(capacity: 2048)
    /// Where the next frame starts in `incoming`.
    private var start = 0
    @exclusivity(unchecked) private var outgoing = CBORWriter(capacity: 2048)
    /// The time allowed for one incoming frame, and for all outgoing frames together, in nanoseconds; nil waits for
    /// ever.
    private var patience: Int?
    /// When the channel ends, on the clock of ``MonotonicClock/nanoseconds``; nil for a channel without a deadline.
    private var deadline: Int?
    /// How long we have waited for the peer to read since it sent its last frame, in nanoseconds.
    private var waited = 0

    /// Takes over `socket`, a connected stream socket that closes on exec.
    package init(descriptor socket: Int32, side: Side = .client, calls: SocketCalls = .system) {
        self.socket = socket
        self.side = side
        self.calls = calls
        closer = nil
    }

    /// Takes over the socket of a stranger that connected.
    ///
    /// Each piece of a frame may bring one descriptor, which must be a sealed anonymous file. Any other descriptor ends
    /// the channel, and `closer` closes it.
    package init(stranger socket: Int32, closer: any DescriptorClosing) {
        self.socket = socket
        side = .server
        calls = .guarded
        self.closer = closer
    }

    deinit {
        if let closer { closer.dispose(connection: Descriptor(socket)) } else { close(socket) }
    }

    /// Has the kernel refuse descriptors from now on (Linux 6.16); an older kernel leaves the guard on each message.
    ///
    /// - Throws: ``FrameError/unexpected`` where bytes have already arrived, since descriptors may be attached to them.
    package func refuseDescriptors() throws(FrameError) {
        guard chatelaine_refuse_descriptors(socket) == 0 else { return }
        guard chatelaine_peek(socket) <= 0 else { throw .unexpected }
        calls = .system
    }

    /// Admits a stranger's descriptors again, for a message that announces them; the first guard applies again.
    ///
    /// - Parameter look: which descriptors are admitted besides sealed files.
    package func admitDescriptors(_ look: SocketCalls.Look? = nil) {
        // A kernel that cannot refuse descriptors has not refused any.
        _ = chatelaine_admit_descriptors(socket)
        if closer != nil { calls = look.map { .guarded(by: $0) } ?? .guarded }
    }

    /// Gives up on a peer that begins a frame and does not end it, or does not read.
    ///
    /// The limit covers the whole of an incoming frame, so that a peer cannot keep a thread by sending a byte now and
    /// then. It also covers all frames that we send between two frames of the peer's, so that a reply in many pieces
    /// gets no more time.
    package func setPatience(seconds: Int = FrameLimits.patienceSeconds) { patience = seconds * Self.second }

    /// Removes the limit of ``setPatience(seconds:)``: the channel waits for the peer as long as it takes.
    package func removePatience() { patience = nil }

    /// Ends the channel after so many seconds, even while frames still move; nil takes the limit away.
    package func setDeadline(seconds: Int?) { deadline = seconds.map { MonotonicClock.nanoseconds + $0 * Self.second } }

    private static let second = 1_000_000_000

    /// Whether input arrives, or the peer closes, within so many milliseconds; false, too, where poll(2) fails.
    package func hasInput(within milliseconds: Int32 = 0) -> Bool { calls.wait(socket, POLLIN, milliseconds).count > 0 }

    /// Whether bytes arrived beyond the frame that is, or was last, lent.
    package private(set) var hasSurplus = false
    /// Whether the message of the frame that is, or was last, lent goes on in another frame.
    package private(set) var isContinued = false

    /// Waits for one frame, lends its content to `body`, and wipes it.
    ///
    /// - Parameters:
    ///   - limit: the longest frame accepted, in bytes.
    ///   - mayContinue: whether the frame's message may go on in another frame (``isContinued``); refused otherwise.
    ///   - waits: whether the wait for the frame's first byte is exempt from the patience.
    ///   - reserve: called once with the frame's length before memory is allocated; throws to refuse.
    ///   - inspect: see ``Inspection``.
    /// - Throws: ``FrameError``, and what the closures throw. After a failure in the middle of a frame its beginning is
    ///   forgotten: close the channel.
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
        // Where a message may not go on, the bit stays in the length, which then exceeds every limit.
        let length = isContinued ? head & ~FrameLimits.continuationBit : head
        guard length <= UInt32(clamping: limit) else { throw FrameError.tooLong(length) }
        let end = start + 4 + Int(length)
        hasSurplus = false
        if incoming.count < end {
            try reserve(Int(length))
            incoming.reserve(end - incoming.count)
            // The time that the reservation took does not count against the peer.
            limitOfFrame = nil
        }
        do {
            while incoming.count < end {
                try check(&limitOfFrame)
                try receive(atLeast: end - incoming.count, until: limitOfFrame, inspect, into: &descriptors)
            }
        } catch {
            // Whoever reserved memory for the frame gives the reservation back now, and not when the channel ends.
            incoming.reset()
            throw error
        }
        hasSurplus = incoming.count > end
        defer { forget(upTo: end) }
        return try incoming.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[(start + 4)..<end]), descriptors)
        }
    }

    /// Wipes the frame that ended at `end`, and moves later bytes to the front of fresh memory.
    private func forget(upTo end: Int) {
        start = 0
        guard hasSurplus else { return incoming.reset() }
        var rest = SecretBuffer(capacity: 2048)
        incoming.withUnsafeBytes { rest.append(UnsafeRawBufferPointer(rebasing: $0[end...])) }
        incoming = rest
    }

    /// Sets `limit` at the first call for a frame, and throws once the limit is over.
    private func check(_ limit: inout Int?) throws(FrameError) {
        guard patience != nil || deadline != nil else { return }
        let now = MonotonicClock.nanoseconds
        if limit == nil { limit = patience.map { now + $0 } }
        guard now <= min(limit ?? .max, deadline ?? .max) else { throw .timedOut }
    }

    /// Waits by poll(2) until `limit` or the channel's deadline.
    private func awaitEvent(_ events: Int32, until limit: Int?) throws(FrameError) {
        while true {
            var milliseconds: Int32 = -1
            if limit != nil || deadline != nil {
                let left = min(limit ?? .max, deadline ?? .max) - MonotonicClock.nanoseconds
                // Rounded up: a wait that ends early would have to be repeated.
                milliseconds = Int32(clamping: max(0, (left + 999_999) / 1_000_000))
            }
            let result = calls.wait(socket, events, milliseconds)
            if result.count > 0 { return }
            if result.count == 0 { throw .timedOut }
            guard result.error == EINTR else { throw .system(result.error) }
        }
    }

    /// Waits for the peer to read; the patience covers all waits for one reply together.
    private func awaitRoom() throws(FrameError) {
        let start = MonotonicClock.nanoseconds
        defer { waited += MonotonicClock.nanoseconds - start }
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
        // The list also gets descriptors that are not admitted, so that they are closed.
        descriptors.take(from: ancillary, closer: closer)
        switch failure {
        case 0: break
        case ECONNRESET: throw FrameError.closed
        case EBADMSG: throw FrameError.unexpected
        default: throw FrameError.system(failure)
        }
        // Each piece of a long frame can bring descriptors: without the sum a peer could use up all descriptors of the
        // process.
        guard ancillary.truncated == 0, descriptors.count <= Int(CHATELAINE_MAX_DESCRIPTORS) else {
            throw FrameError.unexpected
        }
        if let inspect {
            let sender = MessageSender(pid: ancillary.pid, uid: ancillary.uid, gid: ancillary.gid)
            try inspect(ancillary.has_credentials != 0 ? sender : nil, ancillary.pidfd)
        }
    }

    /// Sends one frame whose content `encode` writes. The caller keeps the descriptors.
    ///
    /// - Parameters:
    ///   - isContinued: whether the frame's message goes on in another frame.
    ///   - limit: the longest frame that the peer accepts, in bytes.
    /// - Throws: ``FrameError``. After ``FrameError/refused(_:)`` and ``FrameError/tooLong(_:)`` nothing was sent.
    ///   After any other failure the stream ends in the middle of a frame: close the channel.
    package func send(
        descriptors: [Int32] = [], isContinued: Bool = false, limit: Int = .max,
        _ encode: (inout CBORWriter) throws -> Void
    ) throws {
        withUnsafeBytes(of: UInt32(0)) { outgoing.appendEncoded($0) }
        defer { outgoing.reset() }
        try encode(&outgoing)
        guard outgoing.count - 4 <= limit else { throw FrameError.tooLong(UInt32(clamping: outgoing.count - 4)) }
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
                } else if sent == 0, [ETOOMANYREFS, ENOBUFS, ENOMEM].contains(result.error) {
                    throw FrameError.refused(result.error)
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
