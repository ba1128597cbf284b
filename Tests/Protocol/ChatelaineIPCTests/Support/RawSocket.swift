import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import TestSupport
import Testing

/// The far end of a channel, where a test writes and reads single bytes.
final class RawSocket: @unchecked Sendable {
    // `@unchecked Sendable`: the number is set once, and the kernel guards the rest.
    fileprivate(set) var number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { end() }

    func end() {
        if number >= 0 { close(number) }
        number = -1
    }

    func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                DescriptorMessage.send(rest, sent == 0 ? descriptors : [], over: number)
            }
            try #require(count > 0, "errno \(errno)")
            sent += count
        }
    }

    /// Whether the system accepted the whole message.
    func sendOnce(_ bytes: [UInt8], _ descriptors: [Int32]) -> Bool {
        bytes.withUnsafeBytes { DescriptorMessage.send($0, descriptors, over: number) } == bytes.count
    }

    func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let piece = bytes.withUnsafeMutableBytes {
                read(number, $0.baseAddress.map { $0 + received }, count - received)
            }
            try #require(piece > 0, "errno \(errno)")
            received += piece
        }
        return bytes
    }

    static func pair(calls: SocketCalls = .system) throws -> (channel: FrameChannel, raw: RawSocket) {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        return (FrameChannel(descriptor: pair[0], calls: calls), RawSocket(pair[1]))
    }
}

/// A frame with these bytes after their length.
func frame(_ content: [UInt8]) -> [UInt8] { length(UInt32(content.count)) + content }

func length(_ count: UInt32) -> [UInt8] { withUnsafeBytes(of: count.littleEndian) { Array($0) } }

extension FrameChannel {
    /// The next frame as an array, and how many descriptors came with it.
    func next(limit: Int = FrameLimits.requestBytes, waits: Bool = true) throws -> (bytes: [UInt8], descriptors: Int) {
        try withFrame(limit: limit, waits: waits) { bytes, descriptors in ([UInt8](bytes), descriptors.count) }
    }
}

extension RawSocket {
    /// Gives up the descriptor and returns its number.
    func release() -> Int32 {
        defer { number = -1 }
        return number
    }
}
