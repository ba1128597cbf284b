import Glibc

/// The machine's bare floor: two processes that do only the necessary work of a call to the keychain.
///
/// They make its system calls, SQLite steps and AES-GCM operations: no dictionaries, no CBOR, no decisions.
enum Floor {
    /// The usual size of a request and of a reply, in bytes.
    static let messageBytes = 320
    /// The size of a request for a row key and of its answer, in bytes.
    static let keyBytes = 192
    /// The bytes for each key in a message with the keys of many rows: the wrapped key and the place it is bound to.
    static let batchedKeyBytes = 96

    /// The step that the first byte of a message requests.
    enum Step: UInt8 {
        case roundTrip = 0
        /// One look-up, one open.
        case attributes = 1
        /// One look-up, two opens, and a round trip to the other process, which opens the key.
        case secret = 2
        /// One durable commit, two seals, and a round trip to the other process, which seals a key.
        case add = 3
        /// The same as `secret`, by the index of labels.
        case label = 4
        /// One look-up, one open, and the work of `add` on an existing row.
        case update = 5
        /// One look-up, one durable commit.
        case delete = 6
        /// A row step and two opens for each hit, and one round trip to the other process, which opens the keys of all
        /// hits.
        case listData = 7
        /// A row step and one open for each hit.
        case listAttributes = 8

        /// The bytes of each hit in the reply to a listing.
        var hitBytes: Int { self == .listAttributes ? 256 : 48 }
    }

    /// The offset of a number: in a message the hits of a listing, in a reply the id of the process with the keys.
    static let numberOffset = 8

    /// Sends a whole message and receives a whole reply.
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
