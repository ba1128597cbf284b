import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Evaluations ask servers, with a trustd and servers of the test.
struct FetchedTrustTests {
    /// A judge that states the missing evidence until it has it.
    private final class Judge: TrustJudging {
        private let cases = Mutex<[TrustCase]>([])
        private let answer: @Sendable (TrustCase) throws(KeychainError) -> TrustJudgement?

        init(_ answer: @escaping @Sendable (TrustCase) throws(KeychainError) -> TrustJudgement?) {
            self.answer = answer
        }

        var all: [TrustCase] { cases.withLock { $0 } }

        func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? {
            cases.withLock { $0.append(trustCase) }
            return try answer(trustCase)
        }

        func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] { [] }
    }

    private static let good = TrustVerdict(result: .unspecified, chain: [])
    private static let bad = TrustVerdict(result: .recoverableTrustFailure, chain: [])
    private static let lacking = EvidenceNeed([EvidenceSource(.issuer, at: "http://a/i")])
    private let question = TrustQuestion([[1]], policies: [TrustPolicy(.basic)])

    private func service(_ judge: Judge, _ fetcher: FakeFetcher, folder: String = "/nowhere") -> TrustService {
        TrustService(judge, fetcher: fetcher, user: nil, log: Log(program: "test"), places: [], folder: folder)
    }

    private static let noList: @Sendable () throws(KeychainError) -> ApplicationLedger = { () throws(KeychainError) in
        throw KeychainError(.notAvailable, "root has no list of programs")
    }

    private func isGood(
        _ judge: Judge, _ fetcher: FakeFetcher, _ change: (inout TrustQuestion) -> Void = { _ in }
    ) throws -> Bool {
        var question = question
        change(&question)
        return try service(judge, fetcher).evaluate(question, for: "p", over: .test(), ledger: Self.noList) == Self.good
    }

    private static func wanting(_ content: [UInt8]) -> Judge {
        Judge { trustCase in
            trustCase.fetched.issuers.contains(content)
                ? TrustJudgement(good) : TrustJudgement(bad, needs: [lacking])
        }
    }

    @Test func whatLacksIsFetchedAndJudged() throws {
        let judge = Self.wanting([5])
        let fetcher = FakeFetcher(["http://a/i": [5]])
        #expect(try isGood(judge, fetcher))
        #expect(judge.all.map(\.fetched.issuers) == [[], [[5]]])
        #expect(fetcher.ports == [[80]])
    }

    @Test func theLastVerdictIsTheAnswer() throws {
        let judge = Self.wanting([5])
        #expect(try !isGood(judge, FakeFetcher(["http://a/i": [6]])))
        #expect(judge.all.count == 2)
        let nobody = Self.wanting([5])
        #expect(try !isGood(nobody, FakeFetcher()))
        #expect(nobody.all.count == 1)
    }

    @Test func nothingIsFetchedUnlessTheQuestionAllowsIt() throws {
        let judge = Self.wanting([5])
        let fetcher = FakeFetcher(["http://a/i": [5]])
        #expect(try !isGood(judge, fetcher) { $0.allowsFetching = false })
        #expect(fetcher.orders.isEmpty && judge.all.map(\.question.allowsFetching) == [false])
    }

    /// If fetched evidence makes trustd fail, the verdict without it stays.
    @Test func whatBreaksTrustdIsLeftOut() throws {
        let judge = Judge { trustCase in
            trustCase.fetched.isEmpty ? TrustJudgement(Self.good, needs: [Self.lacking]) : nil
        }
        #expect(try isGood(judge, FakeFetcher(["http://a/i": [5]])))
        #expect(judge.all.count == 2)
        let broken = Judge { _ in nil }
        #expect(throws: KeychainError(.notAvailable, "")) { try isGood(broken, FakeFetcher()) }
    }

    /// A stranger's answer that makes trustd fail affects no other answer, in whatever order they come.
    @Test func whatBreaksTrustdTakesNothingWithIt() throws {
        let sources = (0..<4).map { EvidenceSource(.response, at: "http://a/\($0)", request: [1]) }
        for broken in 0..<4 {
            for revoked in 0..<4 where revoked != broken {
                let judge = Judge { trustCase in
                    let responses = trustCase.fetched.responses
                    if responses.contains([UInt8(broken)]) { return nil }
                    if responses.contains([UInt8(revoked)]) { return TrustJudgement(Self.bad) }
                    return TrustJudgement(Self.good, needs: sources.map { EvidenceNeed([$0]) })
                }
                let answers = Dictionary(uniqueKeysWithValues: (0..<4).map { (sources[$0].url, [UInt8($0)]) })
                #expect(try !isGood(judge, FakeFetcher(answers)), "\(broken), \(revoked)")
            }
        }
    }

    /// An early answer about a lower certificate does not displace its issuer's, where trustd fails over both together.
    @Test func whatIsSaidAboveIsJudgedWithoutWhatIsBelow() throws {
        let (upper, low) = (
            EvidenceSource(.response, at: "http://a/upper", request: [1]),
            EvidenceSource(.response, at: "http://a/low", request: [2])
        )
        let judge = Judge { trustCase in
            let responses = trustCase.fetched.responses
            if responses.contains([1]), responses.contains([9]) { return nil }
            if responses.contains([9]) { return TrustJudgement(Self.bad) }
            return TrustJudgement(Self.good, needs: [EvidenceNeed([upper]), EvidenceNeed([low])])
        }
        let fetcher = FakeFetcher([upper.url: [9], low.url: [1]])
        fetcher.delay(upper.url, batches: 1)
        #expect(try !isGood(judge, fetcher))
    }

    /// Evidence that is set aside and tried again leaves a turn for the next source of a higher certificate.
    @Test func whatIsTriedAgainLeavesTheNextSourceItsTurn() throws {
        let upper = (0..<2).map { EvidenceSource(.response, at: "http://a/upper\($0)", request: [1]) }
        let low = (0..<7).map { EvidenceSource(.response, at: "http://a/low\($0)", request: [2]) }
        let judge = Judge { trustCase in
            let responses = trustCase.fetched.responses
            if responses.contains([16]) { return nil }
            if responses.contains([9]) { return TrustJudgement(Self.bad) }
            return TrustJudgement(Self.good, needs: [EvidenceNeed(upper)] + low.map { EvidenceNeed([$0]) })
        }
        var answers = [upper[0].url: [UInt8(8)], upper[1].url: [9]]
        for (index, source) in low.enumerated() { answers[source.url] = [UInt8(10 + index)] }
        #expect(try !isGood(judge, FakeFetcher(answers)))
    }

    /// The evidence may say that a certificate was revoked, so a lack of time to judge it is no verdict.
    @Test func whatNobodyCouldJudgeIsNoVerdict() {
        let busy = KeychainError(.notAvailable, "too many certificates are looked at")
        let judge = Judge { (trustCase) throws(KeychainError) in
            guard trustCase.fetched.isEmpty else { throw busy }
            return TrustJudgement(Self.good, needs: [Self.lacking])
        }
        #expect(throws: busy) { try isGood(judge, FakeFetcher(["http://a/i": [5]])) }
    }

    /// An evaluation that waits for servers keeps its question in memory, which is limited.
    @Test func memoryOfThoseThatWaitIsBounded() throws {
        let judge = Self.wanting([5])
        let fetcher = FakeFetcher(["http://a/i": [5]])
        for (bytes, isEnough) in [(TrustService.bytes(question.byteCount), true), (1000, false)] {
            let service = TrustService(
                judge, fetcher: fetcher, user: nil, log: Log(program: "test"), places: [], folder: "/nowhere",
                memory: Budget(bytes: bytes, largest: bytes), patience: 0)
            for _ in 0..<2 {
                let verdict = Result { () throws(KeychainError) in
                    try service.evaluate(question, for: "p", over: .test(), ledger: Self.noList)
                }
                #expect(verdict == (isEnough ? .success(Self.good) : .failure(KeychainError(.notAvailable, ""))))
            }
            #expect(fetcher.orders.count == 2)
        }
        #expect(TrustService.memoryBytes >= 12 * TrustService.bytes(TrustService.largestQuestion))
    }

    /// Only root's files count, so the test reads the content itself.
    @Test func portsAreReadAsRootWritesThem() {
        func ports(_ text: String) -> [UInt16]? { AdminFetchSettings.ports(in: [UInt8](text.utf8)) }
        #expect(ports("") == [] && ports("# none\n\n") == [])
        #expect(ports("8080\n 2560 # the company's\r\n8080\n") == [8080, 2560])
        for text in ["0", "65536", "-1", "80 81", "http", "8080,81", "\u{FF18}0"] { #expect(ports(text) == nil) }
        #expect(ports((1...15).map { "\($0)\n" }.joined())?.count == 15)
        #expect(ports((1...16).map { "\($0)\n" }.joined()) == nil)
        #expect(AdminFetchSettings(folder: "/nowhere", log: Log(program: "test")).ports == [80])
    }

    @Test func whatOthersCouldHaveWrittenDoesNotCount() throws {
        let folder = try TemporaryFolder()
        for (name, text) in [("no-fetching", "off"), ("fetch-ports", "8080")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        #expect(AdminFetchSettings(folder: folder.path, log: Log(program: "test")).ports == [80])
    }
}
