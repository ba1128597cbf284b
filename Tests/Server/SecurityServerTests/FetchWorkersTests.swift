import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import FetchProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Stands in for securityd-fetch, with a thread for each fetchd that does what a test says.
private final class FakeStarter: ProcessStarting {
    private let life: @Sendable (FrameChannel) -> Void
    let ended = Counter()

    init(_ life: @escaping @Sendable (FrameChannel) -> Void) { self.life = life }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        let number = fcntl(channel, F_DUPFD_CLOEXEC, 3)
        let life = life
        _ = Worker.start { life(FrameChannel(descriptor: number, side: .server)) }
        return 1
    }

    func end(_ pid: pid_t) { ended.next() }
}

/// securityd handles the processes that ask servers.
struct FetchWorkersTests {
    private let request = FetchRequest(url: "http://a/", seconds: 1)

    @Test func whatIsAnsweredIsHandedOn() throws {
        let request = try #require(request)
        for reply in [FetchReply.content([1, 2]), .content([]), .failure(.timedOut)] {
            let starter = FakeStarter { channel in
                let asked = try? channel.withFrame(limit: FetchWire.maximumRequestBytes) { frame, _ in
                    try FetchRequest(frame: frame)
                }
                if asked == request { try? channel.send { reply.encode(to: &$0) } }
            }
            #expect(FetchWorkers(starter).ask(request) == reply)
            #expect(starter.ended.value == 1)
        }
    }

    @Test func oneThatSaysNothingIsEnded() throws {
        let request = try #require(request)
        let isOver = Flag()
        for life: @Sendable (FrameChannel) -> Void in [
            { _ in },
            { channel in
                var bytes: [UInt8] = [1, 0, 0, 0, 0xFF]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
            },
            { channel in withExtendedLifetime(channel) { isOver.awaitRaise() } },
        ] {
            let starter = FakeStarter(life)
            #expect(FetchWorkers(starter, spareSeconds: 0).ask(request) == .failure(.timedOut))
            #expect(starter.ended.value == 1)
        }
        isOver.raise()
    }

    @Test func withoutAProcessThereIsNoAnswer() throws {
        struct NoStarter: ProcessStarting {
            func start(channel: Int32) throws(KeychainError) -> pid_t { throw KeychainError(.notAvailable, "none") }
            func end(_ pid: pid_t) {}
        }
        #expect(FetchWorkers(NoStarter()).ask(try #require(request)) == nil)
    }

    /// The limits allow all requests that an evaluation may need.
    @Test func boundsFitThoseOfEvaluations() {
        #expect(FetchLimits.maximumURLBytes == EvidenceLimits.maximumURLBytes)
        #expect(FetchLimits.maximumBodyBytes == EvidenceLimits.maximumRequestBytes)
        #expect(FetchLimits.maximumAnswerBytes <= EvidenceLimits.maximumFetchedBytes)
        #expect(FetchSchedule.maximumOrders <= EvidenceLimits.maximumAnswers)
    }
}
