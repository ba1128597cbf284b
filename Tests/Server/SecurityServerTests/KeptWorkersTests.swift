import ChatelaineIPC
import ChatelaineModel
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Chains for one purpose share a worker for a second, and nothing else does.
struct KeptWorkersTests {
    private let clock = FakeClock(1_000_000)
    private let connection: TestConnection
    private let other: TestConnection

    init() throws { (connection, other) = (try TestConnection(), try TestConnection()) }

    /// Workers that trust every chain, and answer as many questions as come.
    ///
    /// - Parameter most: the questions after which a worker ends.
    private func starter(most: Int = .max) -> FakeWorkers {
        FakeWorkers { channel in
            for _ in 0..<most {
                guard
                    let request = try? channel.withFrame(
                        limit: TrustWire.maximumRequestBytes, { frame, _ in try TrustRequest(frame: frame) })
                else { return }
                var reply = TrustReply.readings([.flaw("no")])
                if case .evaluation(let trustCase) = request { reply = .evaluation(Self.judgement(on: trustCase)) }
                let answer = reply
                try? channel.send { answer.encode(to: &$0) }
            }
        }
    }

    private static func judgement(on trustCase: TrustCase) -> TrustJudgement {
        let chain = [trustCase.question.certificates[0], trustCase.roots[0]]
        let verdict = TrustVerdict(
            result: .unspecified, chain: chain.map { TrustVerdict.Link(certificate: $0, summary: "") })
        return TrustJudgement(verdict, unchangedUntil: .max)
    }

    private func workers(_ starter: FakeWorkers, milliseconds: Int = KeptWorkers.milliseconds) -> TrustWorkers {
        let clock = clock
        return TrustWorkers(
            starter, seconds: 120, patience: 120_000,
            keeping: KeptWorkers(milliseconds: milliseconds) { clock.now })
    }

    private static func trustCase(
        _ certificate: UInt8, for name: String = "one.example.com", _ change: (inout TrustQuestion) -> Void = { _ in }
    ) -> TrustCase {
        var question = TrustQuestion([[certificate]], policies: [TrustPolicy(.ssl, name: name)])
        change(&question)
        return TrustCase(question, roots: [[9]], now: 0)
    }

    @discardableResult
    private func judge(
        _ trustCase: TrustCase, by workers: TrustWorkers, over connection: TestConnection? = nil
    ) throws -> TrustJudgement {
        let slot = (connection ?? self.connection).slot
        let judgement = try Originator.$slot.withValue(slot) { try workers.judge(trustCase) }
        return try #require(judgement)
    }

    @Test func chainsOfOnePurposeShareAWorker() throws {
        let starter = starter()
        let workers = workers(starter)
        for certificate: UInt8 in 1...5 { try judge(Self.trustCase(certificate), by: workers) }
        try starter.awaitStarts(2)
        #expect(starter.started.value == 2 && starter.ended.value == 0)
    }

    /// Whatever a stranger's chain could make a worker say, it says nothing about another purpose or to another
    /// process.
    @Test func anotherPurposeHasAnotherWorker() throws {
        let changes: [(inout TrustQuestion) -> Void] = [
            { $0.policies = [TrustPolicy(.ssl, name: "two.example.com")] }, { $0.policies.append(TrustPolicy(.basic)) },
            { $0.anchors = [[9]] }, { ($0.anchors, $0.hasOwnAnchorsOnly) = ([[9]], true) },
            { $0.allowsFetching = true },
            { $0.options = .allowExpired },
        ]
        for change in changes {
            let starter = starter()
            let workers = workers(starter)
            try judge(Self.trustCase(1), by: workers)
            try judge(Self.trustCase(2, change), by: workers)
            try starter.awaitStarts(3)
        }
        let starter = starter()
        let workers = workers(starter)
        try judge(Self.trustCase(1), by: workers)
        try judge(Self.trustCase(1), by: workers, over: other)
        try starter.awaitStarts(3)
        // What securityd asks by itself has a worker each time, which ends.
        _ = try workers.judge(Self.trustCase(1))
        _ = try workers.read([[1]])
        try starter.awaitEnds(2)
    }

    /// Certificates, dates and what is known of revocation differ from chain to chain.
    @Test func theCertificatesAreNoPurpose() throws {
        let starter = starter()
        let workers = workers(starter)
        try judge(Self.trustCase(1), by: workers)
        try judge(Self.trustCase(2) { $0.stored = [[4]] }, by: workers)
        try judge(Self.trustCase(3) { ($0.date, $0.responses, $0.revocationLists) = (7, [[1]], [[2]]) }, by: workers)
        try starter.awaitStarts(2)
        #expect(starter.started.value == 2)
    }

    /// A judgement of a worker that had other chains before is not remembered.
    @Test func onlyTheFirstJudgementLasts() throws {
        let workers = workers(starter())
        #expect(try judge(Self.trustCase(1), by: workers).unchangedUntil == .max)
        #expect(try judge(Self.trustCase(2), by: workers).unchangedUntil == nil)
    }

    @Test func aWorkerEndsASecondAfterItsFirstChain() throws {
        let starter = starter()
        let workers = workers(starter)
        try judge(Self.trustCase(1), by: workers)
        clock.pass(milliseconds: Int64(KeptWorkers.milliseconds) - 1)
        try judge(Self.trustCase(2), by: workers)
        try starter.awaitStarts(2)
        #expect(starter.started.value == 2)
        clock.pass(milliseconds: 1)
        try judge(Self.trustCase(3), by: workers)
        try starter.awaitEnds(1)
        try starter.awaitStarts(3)
    }

    /// Nobody has to ask for that.
    @Test func anIdleWorkerIsEnded() throws {
        let starter = starter()
        let workers = TrustWorkers(starter, seconds: 120, patience: 120_000, keeping: KeptWorkers(milliseconds: 20))
        try judge(Self.trustCase(1), by: workers)
        try starter.awaitEnds(1)
        try judge(Self.trustCase(1), by: workers)
        try starter.awaitEnds(2)
    }

    /// A worker that answers after its time is not kept, and one with less time than others ends first.
    @Test func theTimeOfEachCounts() throws {
        let starter = starter()
        let clock = clock
        let late = FakeWorkers { channel in
            while let request = try? channel.withFrame(
                limit: TrustWire.maximumRequestBytes, { frame, _ in try TrustRequest(frame: frame) })
            {
                guard case .evaluation(let trustCase) = request else { return }
                clock.pass(milliseconds: Int64(KeptWorkers.milliseconds))
                let reply = TrustReply.evaluation(Self.judgement(on: trustCase))
                try? channel.send { reply.encode(to: &$0) }
            }
        }
        try judge(Self.trustCase(1), by: workers(late))
        try late.awaitEnds(1)
        let kept = TrustWorkers(starter, seconds: 120, patience: 120_000, keeping: KeptWorkers(milliseconds: 100))
        try judge(Self.trustCase(1, for: "a"), by: kept)
        try judge(Self.trustCase(1, for: "b"), by: kept)
        try judge(Self.trustCase(2, for: "a"), by: kept)
        try starter.awaitEnds(2)
    }

    @Test func theOldestOfTooManyIsEnded() throws {
        let starter = starter()
        let workers = workers(starter)
        for number in 0...KeptWorkers.most { try judge(Self.trustCase(1, for: "\(number)"), by: workers) }
        try starter.awaitEnds(1)
        try starter.awaitStarts(KeptWorkers.most + 2)
        try judge(Self.trustCase(2, for: "1"), by: workers)
        #expect(starter.started.value == KeptWorkers.most + 2)
        try judge(Self.trustCase(2, for: "0"), by: workers)
        try starter.awaitStarts(KeptWorkers.most + 3)
    }

    /// A chain that breaks its worker is the next chain's misfortune no longer than it takes to ask another worker.
    @Test func aBrokenWorkerIsReplaced() throws {
        let starter = starter(most: 2)
        let workers = workers(starter)
        for certificate: UInt8 in 1...6 { try judge(Self.trustCase(certificate), by: workers) }
        try starter.awaitEnds(2)
    }

    @Test func aWorkerThatLiesIsEnded() throws {
        let starter = FakeWorkers { channel in
            while let request = try? channel.withFrame(
                limit: TrustWire.maximumRequestBytes, { frame, _ in try TrustRequest(frame: frame) })
            {
                guard case .evaluation(var trustCase) = request else { return }
                if trustCase.question.certificates[0] == [2] { trustCase.roots = [[8]] }
                let reply = TrustReply.evaluation(Self.judgement(on: trustCase))
                try? channel.send { reply.encode(to: &$0) }
            }
        }
        let workers = workers(starter)
        try judge(Self.trustCase(1), by: workers)
        #expect(throws: KeychainError.self) { try judge(Self.trustCase(2), by: workers) }
        try starter.awaitEnds(1)
        try judge(Self.trustCase(3), by: workers)
        try starter.awaitStarts(3)
    }
}
