import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// One end of the way between securityd and a helper: a number each way, with or without descriptors.
struct HelperChannel: ~Copyable, Sendable {
    private let socket: Descriptor

    init(_ socket: consuming Descriptor) { self.socket = socket }

    /// What became of a message.
    enum Delivery: Equatable {
        case done
        /// The kernel lets no descriptor through now, with this error; the message was not sent, and the peer is there.
        case refused(Int32)
        case lost
    }

    /// Sends a number, with or without descriptors.
    ///
    /// Refused with ETOOMANYREFS while messages that nobody has read hold more descriptors of the user's than this process may
    /// have open (unix(7)): any program of the user can bring that about, and must not end us by it.
    func send(_ number: Int32, descriptors: [Int32] = []) -> Delivery {
        var number = number
        while true {
            // SAFETY: the call reads four bytes and as many descriptors as the array has.
            let count = withUnsafeBytes(of: &number) {
                chatelaine_send(socket.number, $0.baseAddress, $0.count, 1, descriptors, Int32(descriptors.count))
            }
            // So few bytes go at once or not at all.
            if count == MemoryLayout<Int32>.size { return .done }
            let error = count < 0 ? errno : EIO
            if error == EINTR { continue }
            return [ETOOMANYREFS, ENOBUFS, ENOMEM].contains(error) ? .refused(error) : .lost
        }
    }

    /// Whether something has come, or the peer is gone, within so many milliseconds.
    func hasNews(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, milliseconds) > 0
    }

    /// The next number and the descriptors that came with it, which are the caller's to close: all, or none where this
    /// process has no room for all. Nil where the peer is gone or does not keep to this.
    func receive() -> (number: Int32, descriptors: [Int32])? {
        var number: Int32 = 0
        var ancillary = chatelaine_ancillary()
        while true {
            // SAFETY: the call writes at most four bytes, and fills the structure.
            let count = withUnsafeMutableBytes(of: &number) {
                chatelaine_receive(socket.number, $0.baseAddress, $0.count, 1, &ancillary)
            }
            if count < 0, errno == EINTR { continue }
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
