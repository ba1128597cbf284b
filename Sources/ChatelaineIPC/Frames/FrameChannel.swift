import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// Moves frames over a connected stream socket, which it owns: a length of four bytes, little-endian, and that many
/// bytes of CBOR.
///
/// A channel serves one thread at a time. Bytes received are kept in secret memory and wiped after each frame.
public final class FrameChannel {
    /// What is asked about each piece of a frame as it arrives; throws to refuse the channel. The pidfd is lent.
    public typealias Inspection = (_ sender: MessageSender?, _ pidfd: Int32) throws -> Void

    /// Which side of the channel this is.
    public enum Side: Sendable {
        /// Sends a request and waits for what it leads to.
        case client
        /// Finds the next request there already, more often than not, where both sides share a processor: it looks
        /// before it waits.
        case server
    }

    public let socket: Int32
    private let side: Side
    private let calls: SocketCalls
    // A channel serves one thread, and lends its buffers to closures that do not come back to it: looking at every access
    // whether another one is under way would cost a twentieth of a look-up.
    @exclusivity(unchecked) private var incoming = SecretBuffer(capacity: 2048)
    /// Where the next frame starts in `incoming`.
    private var start = 0
    @exclusivity(unchecked) private var outgoing = CBORWriter(capacity: 2048)
    /// How long one frame may take, in seconds; nil waits for ever.
    private var patience: Int?

    /// Takes over `socket`, a connected stream socket that closes on exec.
    public init(descriptor socket: Int32, side: Side = .client, calls: SocketCalls = .system) {
        self.socket = socket
        self.side = side
        self.calls = calls
    }

    deinit { close(socket) }

    /// Gives up on a peer that begins a frame and does not end it, or does not read.
    ///
    /// The limit is for the whole of a frame, so that a byte now and then does not keep a thread. It is found out when
    /// a system call returns: a peer that trickles gets at most twice as long.
    public func setPatience(seconds: Int = FrameLimits.patienceSeconds) {
        patience = seconds
        limitSending(to: seconds)
    }

    /// Waits for the peer as long as it takes, as a new channel does.
    public func removePatience() {
        patience = nil
        limitSending(to: 0)
    }

    /// Seconds that sending waits; 0 for no limit (socket(7)).
    private func limitSending(to seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        // SAFETY: the call reads one `timeval`. It cannot fail for a valid socket.
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether bytes came beyond the frame that is, or was last, lent.
    public private(set) var hasSurplus = false

    /// Waits for one frame, lends its content to `body`, and wipes it.
    ///
    /// - Parameters:
    ///   - limit: the longest frame accepted, in bytes.
    ///   - waits: whether to wait for its first byte longer than the patience set.
    ///   - reserve: asked once with the frame's length before memory is spent on it; throws to refuse.
    ///   - inspect: see ``Inspection``.
    /// - Throws: ``FrameError``, and what the closures throw.
    public func withFrame<Result>(
        limit: Int, waits: Bool = true, reserve: (Int) throws -> Void = { _ in }, inspect: Inspection? = nil,
        _ body: (UnsafeRawBufferPointer, borrowing DescriptorList) throws -> Result
    ) throws -> Result {
        var descriptors = DescriptorList()
        var deadline: Int?
        while incoming.count - start < 4 {
            let isFirst = incoming.count == start
            if !isFirst { try check(&deadline) }
            try receive(atLeast: 2048, waits: waits && isFirst, inspect, into: &descriptors)
        }
        let length = incoming.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        }
        guard length <= UInt32(clamping: limit) else { throw FrameError.tooLong(length) }
        let end = start + 4 + Int(length)
        hasSurplus = false
        if incoming.count < end {
            try reserve(Int(length))
            incoming.reserve(end - incoming.count)
        }
        while incoming.count < end {
            try check(&deadline)
            try receive(atLeast: end - incoming.count, waits: false, inspect, into: &descriptors)
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

    /// Sets the deadline at its first call, and throws once it is over.
    private func check(_ deadline: inout Int?) throws(FrameError) {
        guard let patience else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        guard let limit = deadline else { return deadline = now.tv_sec + patience }
        guard now.tv_sec <= limit else { throw .timedOut }
    }

    private func awaitBytes(isPatient: Bool) throws(FrameError) {
        let limit = isPatient ? nil : patience
        while true {
            let result = calls.wait(socket, limit.map { Int32(clamping: $0 * 1000) } ?? -1)
            if result.count > 0 { return }
            if result.count == 0 { throw .timedOut }
            guard result.error == EINTR else { throw .system(result.error) }
        }
    }

    private func receive(
        atLeast room: Int, waits: Bool, _ inspect: Inspection?, into descriptors: inout DescriptorList
    ) throws {
        var ancillary = chatelaine_ancillary()
        ancillary.pidfd = -1
        defer { if ancillary.pidfd >= 0 { close(ancillary.pidfd) } }
        var failure: Int32 = waits && side == .server ? 0 : EAGAIN
        repeat {
            if failure == EAGAIN { try awaitBytes(isPatient: waits) }
            let count = incoming.append(capacity: min(room, 256 * 1024)) { buffer in
                let result = calls.receive(socket, buffer, &ancillary)
                failure = result.error
                return result.count
            }
            if count == 0 { throw FrameError.closed }
            if count > 0 { failure = 0 }
        } while failure == EINTR || failure == EAGAIN
        guard failure == 0 else { throw failure == ECONNRESET ? FrameError.closed : FrameError.system(failure) }
        descriptors.take(from: ancillary)
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
    /// - Throws: ``FrameError``. After a failure the stream is cut in the middle of a frame: close the channel.
    public func send(descriptors: [Int32] = [], _ encode: (inout CBORWriter) throws -> Void) throws {
        withUnsafeBytes(of: UInt32(0)) { outgoing.appendEncoded($0) }
        defer { outgoing.reset() }
        try encode(&outgoing)
        withUnsafeBytes(of: UInt32(outgoing.count - 4).littleEndian) { outgoing.overwrite(at: 0, with: $0) }
        try outgoing.withUnsafeBytes { bytes in
            var sent = 0
            var deadline: Int?
            while sent < bytes.count {
                try check(&deadline)
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let result = calls.send(socket, rest, sent == 0 ? descriptors : [])
                if result.count > 0 {
                    sent += result.count
                } else if result.error == EAGAIN {
                    throw FrameError.timedOut
                } else if result.error == EPIPE || result.error == ECONNRESET {
                    throw FrameError.closed
                } else if result.error != EINTR {
                    throw FrameError.system(result.error)
                }
            }
        }
    }
}
