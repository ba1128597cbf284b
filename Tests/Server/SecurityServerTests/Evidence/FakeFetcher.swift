import Synchronization
import TestSupport
import TrustProtocol

@testable import SecurityServer

/// Simulated servers, which return a test's answers at once.
final class FakeFetcher: EvidenceFetching {
    fileprivate struct State {
        var answers: [String: EvidenceAnswer] = [:]
        var renewed: [String: [UInt8]] = [:]
        var slow: [String: Int] = [:]
        var batches: [[EvidenceOrder]] = []
        var ports: [[UInt16]] = []
    }

    let clock = FakeClock()
    /// The time that each batch takes.
    private let milliseconds: Int64
    private let state = Mutex(State())

    init(_ answers: [String: [UInt8]] = [:], milliseconds: Int64 = 0) {
        self.milliseconds = milliseconds
        state.withLock { $0.answers = answers.mapValues { EvidenceAnswer(content: $0) } }
    }

    /// Has it know an old answer, and another one where it is asked anew.
    func remember(_ content: [UInt8], of url: String, renewed: [UInt8]? = nil) {
        state.withLock {
            $0.answers[url] = EvidenceAnswer(content: content, isRenewable: true)
            $0.renewed[url] = renewed
        }
    }

    /// Has a server take so many batches, each of the time that it is waited for.
    func delay(_ url: String, batches: Int) { state.withLock { $0.slow[url] = batches } }

    var now: Int64 { clock.now }
    /// The requested URLs, in order.
    var batches: [[String]] { state.withLock { $0.batches.map { $0.map(\.source.url) } } }
    var orders: [EvidenceOrder] { state.withLock { $0.batches.flatMap { $0 } } }
    var ports: [[UInt16]] { state.withLock { $0.ports } }

    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for slot: ConnectionSlot, until deadline: Int64
    ) -> [EvidenceOutcome] {
        let (outcomes, isSlow) = state.withLock { state in
            state.batches.append(orders)
            state.ports.append(ports)
            let slow = orders.map { state.slow[$0.source.url] ?? 0 > 0 }
            for order in orders { state.slow[order.source.url]? -= 1 }
            return (zip(orders, slow).map { state.outcome(of: $0, isSlow: $1) }, slow.contains(true))
        }
        clock.pass(milliseconds: isSlow ? max(0, deadline - now) : milliseconds)
        return outcomes
    }
}

extension FakeFetcher.State {
    fileprivate func outcome(of order: EvidenceOrder, isSlow: Bool) -> EvidenceOutcome {
        let url = order.source.url
        guard !isSlow else { return .notYet }
        let answer = order.isAnew ? renewed[url].map { EvidenceAnswer(content: $0) } : answers[url]
        return answer.map { .answer($0) } ?? .nothing
    }
}

extension ConnectionSlot {
    /// Of a program of the test's, by its number.
    static func test(_ program: UInt64 = 1) -> ConnectionSlot {
        let slot = ConnectionSlot(socket: -1, pid: 1, uid: 1, requests: RequestLimiter())
        slot.program = Program(device: 1, inode: program)
        return slot
    }
}
