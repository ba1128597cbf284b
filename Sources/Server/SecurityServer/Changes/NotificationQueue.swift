import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The pending notifications of a connection, bounded whatever is added.
protocol PendingNotifications {
    associatedtype Notification: CBORValue
    var isEmpty: Bool { get }
    mutating func next() -> Notification?
}

/// The notifications of one connection, and the bell that wakes its thread.
///
/// Adding one waits for nothing.
final class NotificationQueue<Pending: PendingNotifications & Sendable>: Sendable {
    private let pending: AdaptiveMutex<Pending>
    /// Rung from its other end, so that one poll(2) sees new notifications and the end of the connection.
    private let bell: SocketPair

    init(_ pending: Pending) throws(KeychainError) {
        do throws(Errno) { bell = try SocketPair() } catch { throw KeychainError(system: error.code, "a socket pair") }
        self.pending = AdaptiveMutex(pending)
    }

    func add(_ add: (inout Pending) -> Void) {
        let isFirst = pending.withLock { pending in
            defer { add(&pending) }
            return pending.isEmpty
        }
        guard isFirst else { return }
        var byte: UInt8 = 0
        // SAFETY: the call reads the one byte. There is room: it is taken out before another is put in, but for one.
        _ = send(bell.theirs.number, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    func next() -> Pending.Notification? { pending.withLock { $0.next() } }

    /// Sends pending notifications until the connection ends, or the process whose pidfd is given.
    ///
    /// Never returns otherwise.
    ///
    /// - Parameter recheck: throws, before a notification is sent, where the subscriber has changed.
    func deliver(over channel: FrameChannel, untilEndOf process: Int32, recheck: () throws -> Void) throws -> Never {
        while true {
            let isPending = pending.withLock { !$0.isEmpty }
            guard try wait(channel.socket, process, forRoom: isPending), let notification = next() else { continue }
            try recheck()
            try channel.send { notification.encode(to: &$0) }
        }
    }

    /// Waits for a notification, or for room to send one; returns whether there is room.
    ///
    /// - Throws: ``FrameError/closed`` at the end of connection or process, ``FrameError/unexpected`` where the
    ///   subscriber sends something.
    private func wait(_ socket: Int32, _ process: Int32, forRoom isPending: Bool) throws(FrameError) -> Bool {
        // The end of the stream also counts as readable.
        let ending = Int16(POLLIN)
        var watched = [
            pollfd(fd: socket, events: isPending ? ending | Int16(POLLOUT) : ending, revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
            // The bell stays readable until its byte is taken.
            pollfd(fd: isPending ? -1 : bell.ours.number, events: Int16(POLLIN), revents: 0),
        ]
        // SAFETY: the call reads and writes as many elements as it is told there are.
        let count = poll(&watched, nfds_t(watched.count), -1)
        guard count > 0 else {
            guard errno == EINTR else { throw .system(errno) }
            return false
        }
        if watched[2].revents != 0 { silence() }
        guard watched[1].revents == 0 else { throw .closed }
        guard watched[0].revents & ~Int16(POLLOUT) == 0 else {
            throw chatelaine_peek(socket) > 0 ? .unexpected : .closed
        }
        return watched[0].revents != 0
    }

    private func silence() {
        var bytes: (UInt64, UInt64) = (0, 0)
        // SAFETY: the call writes at most the 16 bytes that there are.
        withUnsafeMutableBytes(of: &bytes) { _ = recv(bell.ours.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
    }
}
