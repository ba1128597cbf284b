import ChatelaineModel
import Synchronization
import Testing
import TrustProtocol

@testable import SecurityServer

/// The same question of a program is judged once, as long as nothing can have changed.
@Suite struct TrustResultCacheTests {
    /// The clock, and the number of questions to trustd.
    private final class Surroundings: Sendable {
        let clock = Atomic<Int64>(0)
        let count = Atomic(0)
    }

    private static let until: Int64 = 2_000
    private let surroundings = Surroundings()
    private let memory: TrustResultCache

    init() {
        let surroundings = surroundings
        memory = TrustResultCache(clock: { surroundings.clock.load(ordering: .relaxed) })
    }

    private func question(_ byte: UInt8 = 1, at now: Int64 = 1_000) -> TrustCase {
        TrustCase(TrustQuestion([[byte]], policies: [TrustPolicy(.basic)]), now: now)
    }

    /// Whether trustd was asked.
    private func isAsked(
        _ trustCase: TrustCase, for caller: String? = "/a", until: Int64? = Self.until, certificate: Int = 1
    ) throws -> Bool {
        let former = surroundings.count.load(ordering: .relaxed)
        let verdict = TrustVerdict(
            result: .unspecified,
            chain: [
                TrustVerdict.Link(certificate: [UInt8](repeating: 0, count: certificate), summary: "", defects: [])
            ])
        let judgement = try memory.judgement(on: trustCase, for: caller) { _ in
            surroundings.count.add(1, ordering: .relaxed)
            return TrustJudgement(verdict, unchangedUntil: until)
        }
        #expect(judgement?.verdict == verdict)
        return surroundings.count.load(ordering: .relaxed) > former
    }

    @Test func theSameQuestionIsJudgedOnce() throws {
        #expect(try isAsked(question()))
        #expect(try !isAsked(question()))
        #expect(try !isAsked(question(at: Self.until - 1)))
        // Any other difference in the question or the evidence makes it another one.
        #expect(try isAsked(question(2)))
        var other = question()
        other.question.policies = [TrustPolicy(.ssl, name: "a.example.com")]
        #expect(try isAsked(other))
        other = question()
        other.settings = [TrustCase.Setting(.user, certificate: [1], constraints: [])]
        #expect(try isAsked(other))
        other = question()
        other.roots = [[1]]
        #expect(try isAsked(other))
        other = question()
        other.question.date = 1_000
        #expect(try isAsked(other))
    }

    /// The time of an answer must not reveal what other programs have asked.
    @Test func eachProgramHasItsOwn() throws {
        #expect(try isAsked(question()))
        #expect(try isAsked(question(), for: "/b"))
        #expect(try !isAsked(question(), for: "/b"))
        for _ in 0..<2 { #expect(try isAsked(question(), for: nil)) }
    }

    @Test func itHoldsAsLongAsNothingChanges() throws {
        #expect(try isAsked(question()))
        #expect(try isAsked(question(at: Self.until), until: Self.until + 1))
        // The clock was set back.
        #expect(try isAsked(question(at: 999)))
        #expect(try !isAsked(question(at: 999)))
        surroundings.clock.store(TrustResultCache.milliseconds, ordering: .relaxed)
        #expect(try isAsked(question(at: 999)))
        for _ in 0..<2 {
            #expect(try isAsked(question(3), until: nil))
            #expect(try isAsked(question(4), until: 1_000))
        }
    }

    @Test func itIsBounded() throws {
        #expect(TrustResultCache.most < 256)
        for byte in 0...UInt8(TrustResultCache.most) { #expect(try isAsked(question(byte))) }
        #expect(try !isAsked(question(1)))
        #expect(try isAsked(question(0)))
        let large = TrustResultCache.mostBytes / 2
        #expect(try isAsked(question(200), certificate: large) && isAsked(question(201), certificate: large))
        #expect(try !isAsked(question(201), certificate: large) && isAsked(question(0)))
        for _ in 0..<2 { #expect(try isAsked(question(202), certificate: TrustResultCache.mostBytes + 1)) }
        var long = question()
        long.question.certificates = [[UInt8](repeating: 0, count: TrustResultCache.largestQuestion + 1)]
        for _ in 0..<2 { #expect(try isAsked(long)) }
    }

    /// A question without an answer is asked again.
    @Test func failuresAreNotRemembered() throws {
        for _ in 0..<2 {
            #expect(
                try memory.judgement(on: question(), for: "/a") { _ in
                    surroundings.count.add(1, ordering: .relaxed)
                    return nil
                } == nil)
        }
        #expect(throws: KeychainError(.notAvailable, "")) {
            try memory.judgement(on: question(), for: "/a") { (_) throws(KeychainError) in
                throw KeychainError(.notAvailable, "busy")
            }
        }
        #expect(surroundings.count.load(ordering: .relaxed) == 2)
        #expect(try isAsked(question()))
    }
}
