import Foundation
import Glibc
import Synchronization

/// An HTTP server at an address of this machine other than loopback; the test supplies the bytes of its answers.
package final class WebServer: Sendable {
    package let address: String
    package let port: UInt16
    private let listener: Int32
    private let received = Mutex<[[UInt8]]>([])

    /// The requests of all connections, in the order of their arrival.
    package var requests: [[UInt8]] { received.withLock { $0 } }

    package var url: String { "http://\(address):\(port)/" }

    /// - Parameter answer: writes the answer to the connection.
    package init(at address: String, answer: @escaping @Sendable (_ connection: Int32, _ request: [UInt8]) -> Void)
        throws
    {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr(address)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: an address of version 4 is read and written as the general one that the call takes, by its size.
        let isBound = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        self.address = address
        port = UInt16(bigEndian: place.sin_port)
        Thread.detachNewThread { [self] in serve(answer) }
    }

    /// Stops listening, which also ends the thread.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit { close(listener) }

    private func serve(_ answer: @Sendable (Int32, [UInt8]) -> Void) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            let count = read(connection, &buffer, buffer.count)
            let request = Array(buffer.prefix(max(count, 0)))
            received.withLock { $0.append(request) }
            answer(connection, request)
            close(connection)
        }
    }

    /// Writes bytes to a connection; false where the other side has closed it.
    @discardableResult package static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    /// The first IPv4 address of this machine other than loopback; nil without a network.
    package static let ownAddress: String? = {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry, let address = entry.pointee.ifa_addr, address.pointee.sa_family == AF_INET,
                entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            // SAFETY: the family says that it is an address of version 4.
            let internet = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            let number = UInt32(bigEndian: internet.s_addr)
            return [24, 16, 8, 0].map { String(number >> UInt32($0) & 0xFF) }.joined(separator: ".")
        }
        return nil
    }()
}
