import CChatelaine
import ChatelaineIPC
import Glibc
import Testing

/// Tests of descriptors that come with frames.
struct FrameDescriptorTests {
    /// Two ends of a pipe, one of which a test gives away.
    ///
    /// Reading from the other ends once every copy is closed. Both close on exec, since programs that other tests start
    /// would keep copies.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&ends) == 0)
        return (ends[0], ends[1])
    }

    private static func isClosedEverywhere(_ reading: Int32) -> Bool {
        var byte: UInt8 = 0
        defer { close(reading) }
        return read(reading, &byte, 1) == 0
    }

    @Test(arguments: 0...4)
    func upToFour(_ count: Int) throws {
        let (channel, raw) = try RawSocket.pair()
        let (reading, writing) = try Self.pipe()
        let other = FrameChannel(descriptor: raw.release())
        try other.send(descriptors: Array(repeating: writing, count: count)) { $0.write("x") }
        close(writing)
        try channel.withFrame(limit: 10) { _, descriptors in
            #expect(descriptors.count == count)
            for index in [-1, count, 4] {
                if let copy = descriptors.duplicate(at: index) { Issue.record("\(copy.number) at \(index)") }
            }
            if count > 0, let copy = descriptors.duplicate(at: 0) {
                #expect(fcntl(copy.number, F_GETFD) & FD_CLOEXEC != 0)
            }
        }
        #expect(Self.isClosedEverywhere(reading), "nobody took them, so they are closed")
    }

    @Test func fiveAreNotSent() throws {
        let (channel, _) = try RawSocket.pair()
        #expect(throws: FrameError.system(EINVAL)) {
            try channel.send(descriptors: Array(repeating: 0, count: 5)) { $0.write("x") }
        }
    }

    @Test(arguments: [5, 6, 9, 60])
    func moreThanFourAreRefusedAndClosed(_ count: Int) throws {
        let (channel, raw) = try RawSocket.pair()
        let (reading, writing) = try Self.pipe()
        try raw.send(frame([1]), descriptors: Array(repeating: writing, count: count))
        close(writing)
        #expect(throws: FrameError.unexpected) { try channel.next() }
        #expect(Self.isClosedEverywhere(reading))
    }

    @Test func theSumOverThePiecesCounts() throws {
        let (channel, raw) = try RawSocket.pair()
        let (reading, writing) = try Self.pipe()
        let whole = frame([1, 2, 3])
        try raw.send(Array(whole[..<5]), descriptors: [writing, writing, writing])
        try raw.send(Array(whole[5...]), descriptors: [writing, writing])
        close(writing)
        #expect(throws: FrameError.unexpected) { try channel.next() }
        #expect(Self.isClosedEverywhere(reading))
    }

    @Test func piecesThatBringFewEnough() throws {
        let (channel, raw) = try RawSocket.pair()
        let (reading, writing) = try Self.pipe()
        let whole = frame([1, 2, 3])
        try raw.send(Array(whole[..<5]), descriptors: [writing])
        try raw.send(Array(whole[5...]), descriptors: [writing])
        close(writing)
        #expect(try channel.next().descriptors == 2)
        #expect(Self.isClosedEverywhere(reading))
    }
}
