import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// One end of the channel between securityd and a helper: a number in each direction, with or without descriptors.
struct HelperChannel: ~Copyable, Sendable {
    private let socket: Descriptor
    private let calls: SocketCalls

    init(_ socket: consuming Descriptor, calls: SocketCalls = .system) {
        self.socket = socket
        self.calls = calls
    }

    /// The descriptor, for callers that poll other descriptors as well.
    var descriptor: Int32 { socket.number }

    /// The result of sending a message.
    enum Delivery: Equatable {
        case done
        /// The kernel passes no descriptor now, with this error.
        ///
        /// The message was not sent, and the peer is still there.
        case refused(Int32)
        case lost
    }

    /// Sends a number, with or without descriptors.
    ///
    /// The kernel refuses with ETOOMANYREFS while unread messages hold more descriptors of the user than this process
    /// may have open (unix(7)). Any program of the user can cause that, and must not end securityd by it.
    func send(_ number: Int32, descriptors: [Int32] = []) -> Delivery {
        var number = number
        while true {
            let result = withUnsafeBytes(of: &number) { calls.send(socket.number, $0, descriptors) }
            // So few bytes are sent at once or not at all.
            if result.count == MemoryLayout<Int32>.size { return .done }
            switch result.count < 0 ? result.error : EIO {
            case EINTR: continue
            case EAGAIN: guard wait(for: POLLOUT) else { return .lost }
            case let error where [ETOOMANYREFS, ENOBUFS, ENOMEM].contains(error): return .refused(error)
            default: return .lost
            }
        }
    }

    /// Waits without a limit; false where the call fails.
    private func wait(for events: Int32) -> Bool {
        let result = calls.wait(socket.number, events, -1)
        return result.count >= 0 || result.error == EINTR
    }

    /// Whether a message has come, or the peer is gone, within so many milliseconds.
    func hasNews(milliseconds: Int32) -> Bool {
        calls.wait(socket.number, POLLIN, milliseconds).count > 0
    }

    /// The next number and its descriptors, which the caller closes.
    ///
    /// Nil where the peer is gone or breaks the protocol.
    ///
    /// The descriptors are all that came, or none where this process has no room for all.
    func receive() -> (number: Int32, descriptors: [Int32])? {
        var number: Int32 = 0
        var ancillary = chatelaine_ancillary()
        // The call may fail before it fills in anything, and 0 is a valid descriptor.
        ancillary.pidfd = -1
        while true {
            let (count, error) = withUnsafeMutableBytes(of: &number) {
                calls.receive(socket.number, $0, &ancillary)
            }
            if count < 0, error == EINTR { continue }
            if count < 0, error == EAGAIN {
                guard wait(for: POLLIN) else { return nil }
                continue
            }
            if ancillary.pidfd >= 0 { close(ancillary.pidfd) }
            // SAFETY: as many are filled in as the count says.
            let descriptors = withUnsafeBytes(of: ancillary.descriptors) {
                Array($0.bindMemory(to: Int32.self).prefix(Int(ancillary.descriptor_count)))
            }
            let isWhole = count == MemoryLayout<Int32>.size && ancillary.truncated == 0
            if !isWhole { for number in descriptors { close(number) } }
            guard count == MemoryLayout<Int32>.size else { return nil }
            return (number, isWhole ? descriptors : [])
        }
    }
}
