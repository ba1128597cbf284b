import Glibc

/// The machine's bare floor: two processes that make the system calls, SQLite steps and AES-GCM operations of a call to
/// the keychain, and nothing else. No dictionaries, no CBOR, no decisions.
enum Floor {
    /// Bytes of a request and a reply of the usual size.
    static let messageBytes = 320
    /// Bytes of a request for a row key and its answer.
    static let keyBytes = 192
    /// Bytes of each key where one message has those of many rows: the wrapped key and the place that it is bound to.
    static let batchedKeyBytes = 96

    /// What the first byte of a message asks for.
    enum Step: UInt8 {
        case roundTrip = 0
        /// One look-up, one open.
        case attributes = 1
        /// One look-up, two opens, and a round trip to the other process, which opens the key.
        case secret = 2
        /// One durable commit, two seals, and a round trip to the other process, which seals a key.
        case add = 3
        /// `secret`, by the index of labels.
        case label = 4
        /// One look-up, one open, and what `add` does to a row that is there.
        case update = 5
        /// One look-up, one durable commit.
        case delete = 6
        /// A row step and two opens a hit, and one round trip to the other process, which opens the keys of all.
        case listData = 7
        /// A row step and one open a hit.
        case listAttributes = 8

        /// Bytes of a hit in the reply to a listing.
        var hitBytes: Int { self == .listAttributes ? 256 : 48 }
    }

    /// Where a message says how many hits a listing has, and a reply which process the keys are in.
    static let numberOffset = 8

    /// One message there and one back, each whole.
    static func exchange(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer, count: Int) throws {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        try transmit(socket, part)
        try receive(socket, part)
    }

    static func transmit(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws {
        // SAFETY: the buffer lives during the call, which reads as many bytes as it has.
        let count = send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        try BenchError.check(count == buffer.count, "the floor's peer is gone")
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
