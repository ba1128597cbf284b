import CChatelaine
import ChatelaineSystem
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import ChatelaineIPC
@testable import ServerIPC

/// Tests of channels to strangers: which descriptors their frames may have, and how the others are closed.
struct StrangerTests {
    private static func pair(_ closer: DescriptorCloser = DescriptorCloser()) throws -> (
        channel: FrameChannel, raw: RawSocket
    ) {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        try #require(chatelaine_pass_credentials(pair[0]) == 0)
        _ = chatelaine_pass_pidfd(pair[0])
        return (FrameChannel(stranger: pair[0], closer: closer), RawSocket(pair[1]))
    }

    private static func sealed() throws -> Descriptor {
        let file = Descriptor(chatelaine_sealed_memfd("test"))
        try #require(file.number >= 0)
        return file
    }

    @Test func onlyWhatNobodyCanChangeIsSealed() throws {
        let sealed = try Self.sealed()
        #expect(chatelaine_is_sealed_memfd(sealed.number) == 1)
        let open = Descriptor(chatelaine_memfd("test"))
        #expect(chatelaine_is_sealed_memfd(open.number) == 0)
        // A named file in memory is not anonymous, and could be a layer of another file system.
        let name = "/dev/shm/chatelaine-test-\(getpid())"
        let shared = Descriptor(Glibc.open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600))
        unlink(name)
        if shared.number >= 0 { #expect(chatelaine_is_sealed_memfd(shared.number) == 0) }
        #expect(chatelaine_is_sealed_memfd(-1) == 0)
    }

    @Test func aSealedFileComesWithItsFrame() throws {
        let (channel, raw) = try Self.pair()
        let file = try Self.sealed()
        try raw.send(frame([1, 2, 3]), descriptors: [file.number])
        var isNamed = false
        try channel.withFrame(limit: 10, inspect: { sender, _ in isNamed = sender?.pid == getpid() }) {
            bytes, descriptors in
            #expect(Array(bytes) == [1, 2, 3] && descriptors.count == 1)
        }
        #expect(isNamed)
        // The next frames arrive complete too.
        try raw.send(frame([4]) + frame([5]))
        #expect(try channel.next().bytes == [4])
        #expect(try channel.next().bytes == [5])
    }

    /// An announced descriptor is accepted.
    ///
    /// After the announcement has ended, a descriptor ends the channel again.
    @Test func whatIsAnnouncedComes() throws {
        let (channel, raw) = try Self.pair()
        let file = Descriptor(Glibc.open("/proc/self/status", O_RDONLY | O_CLOEXEC))
        channel.admitDescriptors { _ in 1 }
        try raw.send(frame([1]), descriptors: [file.number])
        try channel.withFrame(limit: 10) { bytes, descriptors in
            #expect(Array(bytes) == [1] && descriptors.count == 1)
            let copy = descriptors.duplicate(at: 0)
            if copy == nil { Issue.record("what came cannot be kept") }
        }
        channel.admitDescriptors()
        try raw.send(frame([2]), descriptors: [file.number])
        #expect(throws: FrameError.unexpected) { try channel.next() }
    }

    @Test(arguments: [1, 2, 3, 8, 9, 60])
    func anythingElseEndsTheChannelAndIsClosedElsewhere(_ count: Int) throws {
        let closer = DescriptorCloser()
        var ends: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&ends) == 0)
        do {
            let (channel, raw) = try Self.pair(closer)
            try raw.send(frame([1]), descriptors: Array(repeating: ends[1], count: count))
            close(ends[1])
            #expect(throws: FrameError.unexpected) { try channel.next() }
        }
        var byte: UInt8 = 0
        // Reading ends once every copy is closed, including those in the connection's queue.
        #expect(read(ends[0], &byte, 1) == 0)
        close(ends[0])
    }

    @Test func severalSealedFilesAreTooMany() throws {
        let (channel, raw) = try Self.pair()
        let file = try Self.sealed()
        try raw.send(frame([1]), descriptors: [file.number, file.number])
        #expect(throws: FrameError.unexpected) { try channel.next() }
    }

    @Test func whatIsBehindAPieceIsNotTakenInWithIt() throws {
        let (channel, raw) = try Self.pair()
        try raw.send(Array(frame([1, 2, 3])[..<5]))
        var ends: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&ends) == 0)
        try raw.send(Array(frame([1, 2, 3])[5...]), descriptors: [ends[1]])
        #expect(throws: FrameError.unexpected) { try channel.next() }
        for end in ends { close(end) }
    }

    @Test func descriptorsAreRefusedAfterwards() throws {
        let (channel, raw) = try Self.pair()
        try channel.refuseDescriptors()
        let file = try Self.sealed()
        let head = frame([1])
        guard raw.sendOnce(head, [file.number]) else {
            // Linux 6.16 refuses the message as a whole.
            try raw.send(head)
            #expect(try channel.next().descriptors == 0)
            return
        }
        #expect(try channel.next().descriptors == 1)
    }

    @Test func whatCameBeforeTheyWereRefusedIsSeen() throws {
        let (channel, raw) = try Self.pair()
        let file = try Self.sealed()
        try raw.send(frame([1]), descriptors: [file.number])
        do {
            try channel.refuseDescriptors()
            // An older kernel accepts the message, and each message stays guarded.
            #expect(try channel.next().descriptors == 1)
        } catch let error as FrameError { #expect(error == .unexpected) }
    }

    @Test func aHandshakeHasOneDeadline() throws {
        let (channel, raw) = try Self.pair()
        channel.setDeadline(seconds: 0)
        try raw.send([1, 0])
        #expect(throws: FrameError.timedOut) { try channel.next(waits: true) }
    }
}

/// Tests of descriptors that take as long to close as a test wants.
struct ClosersTests {
    /// A gate at which closing waits.
    private final class Gate: Sendable {
        private let state = Monitor(State())

        private struct State {
            var isOpen = false
            var passed: [Int32] = []
            var arrived = 0
        }

        func pass(_ number: Int32) {
            change { $0.arrived += 1 }
            state.waitUntil { $0.isOpen }
            change { $0.passed.append(number) }
        }

        func open() { change { $0.isOpen = true } }

        private func change(_ body: (inout State) -> Void) {
            state.withLock(body)
            state.broadcast()
        }

        func awaitArrivals(_ count: Int) { state.waitUntil { $0.arrived >= count } }

        func await(_ count: Int) -> Set<Int32> {
            state.wait { $0.passed.count < count ? .nothing() : .answer(Set($0.passed)) }
        }
    }

    @Test func asManyAsMayCloseAndTheOthersWait() {
        let gate = Gate()
        let closer = DescriptorCloser(threads: 2, waiting: 3, close: { gate.pass($0) })
        for number in Int32(1000)..<1002 { closer.dispose(Descriptor(number)) }
        gate.awaitArrivals(2)
        for number in Int32(1002)..<1005 { closer.dispose(Descriptor(number)) }
        #expect(closer.pending == 5)
        // The sixth waits for room until one of the first is closed.
        #expect(Worker.start { closer.dispose(Descriptor(1005)) })
        gate.open()
        #expect(gate.await(6) == Set(1000..<1006))
    }

    /// The caller closes nothing of a stranger's as long as there is one thread, be it blocked.
    @Test func withOneThreadTheCallerLeavesThemToIt() {
        let gate = Gate()
        let starts = AdaptiveMutex(0)
        let closer = DescriptorCloser(
            threads: 4, waiting: 8, close: { gate.pass($0) },
            start: { body in
                let isFirst = starts.withLock { starts in
                    starts += 1
                    return starts == 1
                }
                return isFirst && Worker.start(body)
            })
        closer.dispose(Descriptor(1000))
        gate.awaitArrivals(1)
        for number: Int32 in 1001..<1004 { closer.dispose(Descriptor(number)) }
        #expect(closer.pending == 4)
        gate.open()
        #expect(gate.await(4) == Set(1000..<1004))
    }

    /// Otherwise connections would wait for ever for room among the descriptors.
    @Test func withoutAThreadTheCallerClosesThem() {
        let closed = AdaptiveMutex<[Int32]>([])
        let closer = DescriptorCloser(
            threads: 2, waiting: 1, close: { number in closed.withLock { $0.append(number) } }, start: { _ in false })
        for number: Int32 in 1000..<1003 { closer.dispose(Descriptor(number)) }
        #expect(closed.withLock { $0 } == [1000, 1001, 1002] && closer.pending == 0)
    }

    @Test func aSocketThatLingersIsLetGo() throws {
        let closer = DescriptorCloser(threads: 1, waiting: 8)
        let (listener, far) = (try lingering(), try lingering())
        for socket in [listener, far] { closer.dispose(Descriptor(socket.closing)) }
        // Without a signal, each socket would take a minute to close.
        try until(within: 50) { closer.pending == 0 }
        for socket in [listener, far] { for other in socket.others { close(other) } }
    }

    /// A TCP socket with bytes that no peer reads, and the sockets that keep it in that state.
    private func lingering() throws -> (closing: Int32, others: [Int32]) {
        let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let end = socket(AF_INET, stream, 0)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(listener, address, size) == 0 && listen(listener, 1) == 0)
                try #require(getsockname(listener, address, &size) == 0)
                try #require(connect(end, address, size) == 0)
            }
        }
        let bytes = [UInt8](repeating: 0, count: 65536)
        while send(end, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) > 0 {}
        var option = linger(l_onoff: 1, l_linger: 60)
        try #require(setsockopt(end, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size)) == 0)
        return (end, [listener])
    }
}
