import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls
import Testing

/// Tests of frames over real socket pairs.
struct FrameChannelTests {
    @Test func aFrameInSinglePieces() throws {
        let (channel, raw) = try RawSocket.pair()
        let content = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        #expect(Worker.start { for byte in frame(content) { try? raw.send([byte]) } })
        #expect(try channel.next().bytes == content)
    }

    @Test func severalFramesInOnePiece() throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(frame([1, 2, 3]) + frame([]) + frame([4]) + [9])
        #expect(try channel.next().bytes == [1, 2, 3])
        #expect(channel.hasSurplus)
        #expect(try channel.next().bytes == [])
        #expect(try channel.next().bytes == [4])
        #expect(channel.hasSurplus)
        try raw.send([0, 0, 0] + Array(repeating: 5, count: 9))
        #expect(try channel.next().bytes == Array(repeating: 5, count: 9))
        #expect(!channel.hasSurplus)
    }

    @Test func aStreamThatIsAlwaysAFrameAheadKeepsItsOrder() throws {
        let (channel, raw) = try RawSocket.pair()
        let frames = (0..<2000).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0 % 701) }
        #expect(Worker.start { try? raw.send(frames.flatMap { frame($0) }) })
        for content in frames { #expect(try channel.next().bytes == content) }
    }

    @Test func largestFrame() throws {
        let (channel, raw) = try RawSocket.pair()
        let content = [UInt8](repeating: 0xA5, count: FrameLimits.requestBytes)
        #expect(Worker.start { try? raw.send(frame(content)) })
        #expect(try channel.next().bytes == content)
    }

    @Test(arguments: [UInt32(11), 0x8000_0000, 0xFFFF_FFFF])
    func tooLong(_ count: UInt32) throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(length(count))
        #expect(throws: FrameError.tooLong(count)) { try channel.next(limit: 10) }
    }

    @Test func lengthsUpToTheLimit() throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(frame(Array(0..<10)))
        #expect(try channel.next(limit: 10).bytes == Array(0..<10))
        try raw.send(length(0x8000_0000))
        #expect(throws: FrameError.tooLong(0x8000_0000)) { try channel.next() }
    }

    /// A reader that expects a single frame takes the bit for more frames as part of the length.
    @Test func aMessageGoesOnOnlyWhereItMay() throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(length(0x8000_0002) + [1, 2] + frame([3]))
        for (bytes, isContinued) in [([1, 2], true), ([3], false)] as [([UInt8], Bool)] {
            try channel.withFrame(limit: 2, mayContinue: true) { content, _ in
                #expect(Array(content) == bytes && channel.isContinued == isContinued)
            }
        }
        try raw.send(length(0x8000_0003))
        #expect(throws: FrameError.tooLong(3)) { try channel.withFrame(limit: 2, mayContinue: true) { _, _ in } }
        let (other, far) = try RawSocket.pair()
        try far.send(length(0x8000_0002))
        #expect(throws: FrameError.tooLong(0x8000_0002)) { try other.next() }
        #expect(!other.isContinued)
    }

    @Test(arguments: [[], [1], [1, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0, 1, 2, 3]])
    func peerThatEndsWithinAFrame(_ beginning: [UInt8]) throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(beginning)
        raw.end()
        #expect(throws: FrameError.closed) { try channel.next() }
    }

    @Test func sendingToNobody() throws {
        let (channel, raw) = try RawSocket.pair()
        raw.end()
        #expect(throws: FrameError.closed) { try channel.send { $0.write(UInt64(1)) } }
    }

    @Test func whatIsSent() throws {
        let (channel, raw) = try RawSocket.pair()
        try channel.send { $0.write("ab") }
        try channel.send { _ in }
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try channel.send { writer in
                writer.write("never")
                throw Stop()
            }
        }
        try channel.send { $0.write(true) }
        #expect(try raw.receive(7 + 4 + 5) == frame([0x62, 0x61, 0x62]) + frame([]) + frame([0xF5]))
    }

    @Test func aBodyThatThrowsEndsItsFrameOnly() throws {
        struct Stop: Error {}
        let (channel, raw) = try RawSocket.pair()
        try raw.send(frame([1]) + frame([2]))
        #expect(throws: Stop.self) { try channel.withFrame(limit: 10) { _, _ in throw Stop() } }
        #expect(try channel.next().bytes == [2])
    }

    @Test func contentIsWipedAfterItsFrame() throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(frame(Array(repeating: 0x5A, count: 100)))
        // The memory still belongs to the channel, so the test may look at it.
        let place = try channel.withFrame(limit: 1000) { bytes, _ in bytes }
        #expect(place.allSatisfy { $0 == 0 })
    }

    @Test func reserveIsAskedOnceForWhatIsNotThereYet() throws {
        struct Stop: Error {}
        let (channel, raw) = try RawSocket.pair()
        #expect(Worker.start { try? raw.send(frame(Array(repeating: 1, count: 50_000))) })
        var asked: [Int] = []
        try channel.withFrame(limit: 100_000, reserve: { asked.append($0) }) { bytes, _ in
            #expect(bytes.count == 50_000)
        }
        #expect(asked == [50_000])
        try raw.send(length(60_000))
        #expect(throws: Stop.self) {
            try channel.withFrame(limit: 100_000, reserve: { _ in throw Stop() }) { _, _ in }
        }
    }

    @Test func everyPieceIsInspected() throws {
        let (channel, raw) = try RawSocket.pair()
        try #require(chatelaine_pass_credentials(channel.socket) == 0)
        let hasPidfd = chatelaine_pass_pidfd(channel.socket) == 0
        #expect(Worker.start { for byte in frame([1, 2]) { try? raw.send([byte]) } })
        var pieces = 0
        try channel.withFrame(
            limit: 10,
            inspect: { sender, pidfd in
                pieces += 1
                #expect(sender?.pid == getpid() && sender?.uid == geteuid() && sender?.gid == getegid())
                #expect((pidfd >= 0) == hasPidfd)
            }
        ) { bytes, _ in #expect(Array(bytes) == [1, 2]) }
        #expect(pieces >= 1)
        struct Stranger: Error {}
        try raw.send(frame([1]))
        #expect(throws: Stranger.self) {
            try channel.withFrame(limit: 10, inspect: { _, _ in throw Stranger() }) { _, _ in }
        }
    }

    @Test func withoutCredentialsNobodyIsNamed() throws {
        let (channel, raw) = try RawSocket.pair()
        try raw.send(frame([]))
        try channel.withFrame(limit: 10, inspect: { sender, pidfd in #expect(sender == nil && pidfd == -1) }) { _, _ in
        }
    }

    // MARK: Patience

    @Test(arguments: [[], [1], [4, 0, 0, 0, 1]])
    func patienceEnds(_ beginning: [UInt8]) throws {
        let (channel, raw) = try RawSocket.pair()
        channel.setPatience(seconds: 1)
        try raw.send(beginning)
        #expect(throws: FrameError.timedOut) { try channel.next(waits: false) }
    }

    @Test func patienceEndsForAPeerThatDoesNotRead() throws {
        let (channel, raw) = try RawSocket.pair()
        channel.setPatience(seconds: 1)
        #expect(throws: FrameError.timedOut) {
            try channel.send { $0.write([UInt8](repeating: 0, count: FrameLimits.requestBytes)) }
        }
        raw.end()
    }
}
