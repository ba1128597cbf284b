import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// One connection that carries notifications, for which the thread of the connection waits.
///
/// It keeps the thread that it had: whether its process is still the one that subscribed is looked at before each notification, which
/// can take as long as that process likes, and is not to hold up others. What it is to be told of is a set of bounded size, however
/// long its process does not read.
final class ChangeSubscription: Sendable {
    /// Keychains that one remembers; with more of them, everything may have changed.
    static let rememberedKeychains = KeychainRegistry.maximumKeychains

    private struct Pending {
        /// Of changes, told or not.
        var number: UInt64 = 0
        var keychains: Set<KeychainName> = []
        var isEverything = false
        var isEmpty: Bool { keychains.isEmpty && !isEverything }

        mutating func add(_ keychain: KeychainName?) {
            number += 1
            if let keychain, !isEverything { keychains.insert(keychain) }
            guard keychain == nil || keychains.count > ChangeSubscription.rememberedKeychains else { return }
            isEverything = true
            keychains = []
        }

        mutating func next() -> ChangeNotification? {
            guard !isEmpty else { return nil }
            defer { isEverything = false }
            return ChangeNotification(number: number, keychain: keychains.popFirst())
        }
    }

    let slot: ConnectionSlot
    /// Those of which it is told.
    let groups: Set<AccessGroup>
    private let pending = AdaptiveMutex(Pending())
    /// A socket pair, so that one poll(2) sees what is to be told and the end of the connection.
    private let bell: Descriptor
    private let button: Descriptor

    init(_ slot: ConnectionSlot, groups: Set<AccessGroup>) throws(KeychainError) {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        self.slot = slot
        self.groups = groups
        bell = Descriptor(pair[0])
        button = Descriptor(pair[1])
    }

    func isOfSameProcess(as other: ConnectionSlot) -> Bool { slot.pid == other.pid && slot.uid == other.uid }

    /// There is something to tell: of that keychain, or of everything. Waits for nobody.
    func note(_ keychain: KeychainName?) {
        let isFirst = pending.withLock { pending in
            defer { pending.add(keychain) }
            return pending.isEmpty
        }
        guard isFirst else { return }
        var byte: UInt8 = 0
        // SAFETY: the call reads the one byte. There is room: it is taken out before another is put in, but for one.
        _ = send(button.number, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// What is to be told next; one notification for all that came since the last.
    func next() -> ChangeNotification? { pending.withLock { $0.next() } }

    /// Tells whatever is to be told, until the connection ends, or the process whose pidfd is given. Never returns otherwise.
    ///
    /// - Parameter recheck: throws where the subscriber is not what it was, before it is told anything.
    func deliver(over channel: FrameChannel, untilEndOf process: Int32, recheck: () throws -> Void) throws -> Never {
        while true {
            let isPending = pending.withLock { !$0.isEmpty }
            guard try wait(channel.socket, process, forRoom: isPending), let notification = next() else { continue }
            try recheck()
            try channel.send { notification.encode(to: &$0) }
        }
    }

    /// Waits for something to tell, or for room to tell it; whether there is room.
    ///
    /// - Throws: ``FrameError/closed`` at the end of connection or process, ``FrameError/unexpected`` where the subscriber sends something.
    private func wait(_ socket: Int32, _ process: Int32, forRoom isPending: Bool) throws(FrameError) -> Bool {
        // The end of the stream is something to read, too.
        let ending = Int16(POLLIN)
        var watched = [
            pollfd(fd: socket, events: isPending ? ending | Int16(POLLOUT) : ending, revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
            // It rings for as long as nobody has taken what it rang for.
            pollfd(fd: isPending ? -1 : bell.number, events: Int16(POLLIN), revents: 0),
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
        withUnsafeMutableBytes(of: &bytes) { _ = recv(bell.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
    }
}
