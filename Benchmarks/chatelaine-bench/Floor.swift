import CChatelaine
import ChatelaineIPC
import Glibc

/// The machine's bare floor: two processes that make the system calls, SQLite steps and AES-GCM operations of a call to
/// the keychain, and nothing else. No dictionaries, no CBOR, no decisions.
enum Floor {
    /// Bytes of a request and a reply of the usual size.
    static let messageBytes = 320
    /// Bytes of a request for a row key and its answer.
    static let keyBytes = 192

    /// What the first byte of a message asks for.
    enum Step: UInt8 {
        case roundTrip = 0
        /// One look-up, one open.
        case attributes = 1
        /// One look-up, two opens, and a round trip to the other process, which opens the key.
        case secret = 2
        /// One durable commit, two seals, and a round trip to the other process, which seals a key.
        case add = 3
    }

    /// Starts this program again as one of the two, with a socket as descriptor 3.
    static func spawn(_ arguments: [String]) throws -> (pid: Int32, socket: Int32) {
        var pair: [Int32] = [-1, -1]
        try BenchError.check(chatelaine_unix_socketpair(&pair) == 0, "no socket pair")
        guard let resolved = realpath("/proc/self/exe", nil) else { throw BenchError("/proc tells no executable") }
        defer { free(resolved) }
        let path = String(cString: resolved)
        var words = ([path] + arguments).map { (word: String) in strdup(word) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for word in words { free(word) } }
        let pid = chatelaine_spawn_with_channel(path, &words, &environment, pair[1])
        close(pair[1])
        try BenchError.check(pid > 0, "\(path) cannot be started")
        return (pid, pair[0])
    }

    /// One message there and one back, each whole.
    static func exchange(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer, count: Int) throws {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        try BenchError.check(send(socket, part.baseAddress, count, 0) == count, "the floor's peer is gone")
        try receive(socket, part)
    }

    static func receive(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws {
        var received = 0
        while received < buffer.count {
            let count = recv(socket, buffer.baseAddress.unsafelyUnwrapped + received, buffer.count - received, 0)
            try BenchError.check(count > 0, "the floor's peer is gone")
            received += count
        }
    }
}
