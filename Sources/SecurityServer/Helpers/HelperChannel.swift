import CChatelaine
import ChatelaineIPC
import Glibc

/// One end of the way between securityd and a helper: a number each way, with or without a descriptor.
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

    /// Sends a number, with or without a descriptor.
    ///
    /// Refused with ETOOMANYREFS while messages that nobody has read hold more descriptors of the user's than this process may
    /// have open (unix(7)): any program of the user can bring that about, and must not end us by it.
    func send(_ number: Int32, descriptor: Int32? = nil) -> Delivery {
        var number = number
        let descriptors = descriptor.map { [$0] } ?? []
        while true {
            // SAFETY: the call reads four bytes and as many descriptors as the array has.
            let count = withUnsafeBytes(of: &number) {
                chatelaine_send(socket.number, $0.baseAddress, $0.count, descriptors, Int32(descriptors.count))
            }
            // So few bytes go at once or not at all.
            if count == MemoryLayout<Int32>.size { return .done }
            let error = count < 0 ? errno : EIO
            if error == EINTR { continue }
            return [ETOOMANYREFS, ENOBUFS, ENOMEM].contains(error) ? .refused(error) : .lost
        }
    }

    /// The next number and the descriptor that came with it, -1 without one, which is the caller's to close; nil where the
    /// peer is gone or does not keep to this.
    func receive() -> (number: Int32, descriptor: Int32)? {
        var number: Int32 = 0
        var ancillary = chatelaine_ancillary()
        while true {
            // SAFETY: the call writes at most four bytes, and fills the structure.
            let count = withUnsafeMutableBytes(of: &number) {
                chatelaine_receive(socket.number, $0.baseAddress, $0.count, 1, &ancillary)
            }
            if count < 0, errno == EINTR { continue }
            if ancillary.pidfd >= 0 { close(ancillary.pidfd) }
            let descriptors = [ancillary.descriptors.0, ancillary.descriptors.1, ancillary.descriptors.2]
                .prefix(Int(ancillary.descriptor_count))
            for surplus in descriptors.dropFirst() { close(surplus) }
            guard count == MemoryLayout<Int32>.size else {
                if let first = descriptors.first { close(first) }
                return nil
            }
            return (number, descriptors.first ?? -1)
        }
    }
}
