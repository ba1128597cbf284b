import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import ServerIPC
import SystemCalls
import Testing

@testable import ChatelaineIPC

/// A request whose reply has any length that a test wants.
private struct AskForBytes: RequestMessage {
    struct Reply: CBORValue, ReplyBody {
        let bytes: [UInt8]

        init(from reader: inout CBORReader) throws(CBORError) { bytes = try reader.readArray() }
        func encode(to writer: inout CBORWriter) { writer.write(bytes) }
    }

    static let name = "bytes"
    static let needs = RequestNeeds.nothing

    init() {}
    init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
    var operation: Operation { .status }
    func encodeFields(to writer: inout CBORWriter) {}
}

/// Tests of replies of one or more frames, which a client joins.
struct ReplyStreamTests {
    static let piece = FrameLimits.replyBytes

    /// Bytes for a reply of the given length, including its header (3) and the head of the string (5).
    static func content(replyLength: Int) -> [UInt8] {
        (0..<(replyLength - 8)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    @Test(arguments: [
        100_000, piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1, 5 * piece + 17,
    ])
    func lengthsAroundTheBorders(_ length: Int) throws {
        let content = Self.content(replyLength: length)
        let daemon = try FakeDaemon { _, _, channel in try FakeDaemon.succeed(channel) { $0.write(content) } }
        let connection = try Connector(
            deployment: try .current(daemon.environment), environment: daemon.environment
        ).connect()
        for _ in 0..<2 {
            let read = try connection.call(AskForBytes()).bytes
            #expect(read == content)
        }
    }

    @Test func piecesAreAsAnnounced() throws {
        let (channel, raw) = try RawSocket.pair()
        let length = 2 * Self.piece + 5
        let content = Self.content(replyLength: length)
        #expect(
            Worker.start {
                try? FakeDaemon.succeed(FrameChannel(descriptor: raw.release())) { $0.write(content) }
            })
        var lengths: [Int] = []
        var isDone = false
        while !isDone {
            isDone = try channel.withFrame(limit: FrameLimits.replyBytes, mayContinue: true) { frame, _ in
                lengths.append(frame.count)
                return !channel.isContinued
            }
        }
        #expect(lengths.reduce(0, +) == length)
        #expect(lengths.allSatisfy { $0 <= Self.piece })
    }

    @Test func manySmallItemsAreSentOnTheWay() throws {
        let items = 40_000
        let daemon = try FakeDaemon { _, _, channel in
            var reply = ReplyStream(to: channel)
            try reply.write { ReplyHeader().encode(to: &$0) }
            let secret = SecretBytes([UInt8](repeating: 1, count: 40))
            for _ in 0..<items {
                let item = FoundItem(
                    identifier: ItemIdentifier(), itemClass: .genericPassword, accessibility: .always,
                    isSynchronizable: false, attributes: nil, secret: secret)
                try reply.write { item.encode(to: &$0) }
            }
            try reply.finish()
        }
        #expect(try daemon.makeClient().find(ItemQuery(itemClass: .genericPassword)).count == items)
    }

    @Test func anEmptyPieceThatIsNotTheLast() throws {
        let daemon = try FakeDaemon { _, _, channel in
            for _ in 0..<3 { try channel.send(isContinued: true) { _ in } }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try daemon.makeClient().status() }
    }
}
