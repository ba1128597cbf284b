import ChatelaineModel
import Testing
import TrustEvaluation
import TrustProtocol

@testable import trustd

/// Tests of the sample questions with which trustd and its workers warm up.
@Suite struct SampleQuestionsTests {
    /// A chain that is not valid would leave most of the code cold.
    @Test func theSampleChainIsGood() throws {
        let question = try #require(SampleChain.question)
        #expect(question.certificates.count == 2 && question.anchors.count == 3)
        // The sample has to be valid at any time.
        for now in [0, 4_000_000_000] as [Int64] {
            let verdict = TrustEvaluator.judge(TrustCase(question, now: now)).verdict
            #expect(verdict.isTrusted, "\(verdict.chain.map(\.defects))")
            #expect(verdict.chain.count == 3)
        }
    }

    @Test func allOfThemAreMadeAndRead() throws {
        let frames = SampleQuestions.frames
        #expect(frames.count == 4)
        for frame in frames { _ = try frame.withUnsafeBytes { try TrustRequest(frame: $0) } }
        guard case .evaluation? = try frames.first?.withUnsafeBytes({ try TrustRequest(frame: $0) }) else {
            Issue.record("what most programs ask comes first")
            return
        }
    }

    @Test func nobodyIsKeptWaiting() {
        var asked = 0
        TrustReply.warmUp {
            asked += 1
            return false
        }
        #expect(asked == 1)
    }
}
