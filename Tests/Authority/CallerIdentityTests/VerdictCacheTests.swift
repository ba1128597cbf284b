import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls
import Testing
import TrustProtocol

@testable import CallerIdentity

/// Verdicts about signatures are kept as long as they are valid.
struct VerdictCacheTests {
    private let verifier = FakeVerifier()
    private let cache: VerdictCache
    private let anchor = TeamAnchor(owner: TeamOwner(team: SignedHome.team, anchorKey: .filled(1)), certificate: [1])
    private let digest = ExecutableDigest(.filled(3))

    init() { cache = VerdictCache(verifier) }

    private func file(_ text: String) throws -> SignatureFile {
        try #require(SignatureFile(path: "/a.codesig", bytes: Array(text.utf8)))
    }

    private func signed(_ text: String, from: Int64 = 0, until: Int64 = 1000) {
        let signed = FakeVerifier.Signed(
            team: SignedHome.team, identifier: "\(SignedHome.team).a", digest: digest, validFrom: from,
            validUntil: until)
        verifier.signed.withLock { $0[Array(text.utf8)] = signed }
    }

    private func ask(
        _ text: String, _ anchor: TeamAnchor? = nil, digest: ExecutableDigest? = nil, now: Int64 = 500
    ) throws -> SignatureVerdict {
        let file = try file(text)
        return try cache.verdict(
            VerdictCache.Key(digest: digest ?? self.digest, signature: file.digest, anchor: anchor ?? self.anchor),
            file,
            now: now
        ).verdict
    }

    @Test func anotherQuestionIsAskedAnew() throws {
        signed("a")
        signed("b")
        var other = anchor
        other.requiresProfiles = true
        for _ in 0..<2 {
            _ = try ask("a")
            _ = try ask("b")
            _ = try ask("a", other)
            _ = try ask("a", digest: ExecutableDigest(.filled(4)))
        }
        #expect(verifier.count == 4)
    }

    @Test func datesEndIt() throws {
        signed("a", from: 100, until: 200)
        for now: Int64 in [100, 150, 200] { #expect(try ask("a", now: now) != .defect(.expired, detail: "")) }
        #expect(verifier.count == 1)
        #expect(try ask("a", now: 201) == .defect(.expired, detail: ""))
        // A verdict that depends on the clock is kept for a moment, others for good.
        #expect(try ask("a", now: 201 + VerdictCache.seconds) == .defect(.expired, detail: ""))
        #expect(verifier.count == 2)
        #expect(try ask("a", now: 150) != .defect(.expired, detail: ""))
        for now: Int64 in [0, 1 << 40] {
            #expect(try ask("nonsense", now: now) == .defect(.malformed, detail: "made up"))
        }
        #expect(verifier.count == 4)
    }

    /// A verifier that gives no answer, after a while.
    private final class SilentVerifier: SignatureVerifying {
        let count = Atomic(0)
        let (began, mayEnd) = (CountingSemaphore(0), CountingSemaphore(0))

        func verify(_: SignatureQuestion) throws(KeychainError) -> SignatureVerdict {
            count.add(1, ordering: .relaxed)
            began.signal()
            mayEnd.wait()
            throw KeychainError(.notAvailable, "no answer")
        }

        func examine(_: AnchorQuestion) throws(KeychainError) -> AnchorReport {
            throw KeychainError(.notAvailable, "no answer")
        }
    }

    /// If each connection of a program asked for itself, one would wait for the failures of all before it.
    @Test func whoWaitsGetsTheErrorOfWhoAsked() throws {
        let verifier = SilentVerifier()
        let (cache, file, threads) = (VerdictCache(verifier), try file("a"), 8)
        let key = VerdictCache.Key(digest: digest, signature: file.digest, anchor: anchor)
        let (here, done) = (CountingSemaphore(0), CountingSemaphore(0))
        let failures = AdaptiveMutex(0)
        for _ in 0..<threads {
            let isStarted = Worker.start {
                here.signal()
                do { _ = try cache.verdict(key, file, now: 500) } catch { failures.withLock { $0 += 1 } }
                done.signal()
            }
            try #require(isStarted)
        }
        for _ in 0..<threads { here.wait() }
        verifier.began.wait()
        for _ in 0..<threads { verifier.mayEnd.signal() }
        for _ in 0..<threads { done.wait() }
        #expect(failures.withLock { $0 } == threads && verifier.count.load(ordering: .relaxed) < threads)
    }

    @Test func whatNobodyCouldSayIsNotRemembered() throws {
        signed("a")
        verifier.isThere.withLock { $0 = false }
        for _ in 0..<2 { #expect(throws: KeychainError(.notAvailable, "")) { try ask("a") } }
        verifier.isThere.withLock { $0 = true }
        #expect(try ask("a") != .defect(.malformed, detail: "made up"))
        #expect(verifier.count == 3)
    }

    @Test func thereIsRoomForSoMany() throws {
        for number in 0..<(VerdictCache.maximumEntries + 10) { _ = try ask("nonsense \(number)") }
        #expect(verifier.count == VerdictCache.maximumEntries + 10)
        _ = try ask("nonsense \(VerdictCache.maximumEntries + 9)")
        #expect(verifier.count == VerdictCache.maximumEntries + 10)
    }

    /// A caller who asks what another one is asking waits for that answer.
    @Test func twoAskersAskOnce() throws {
        signed("a")
        let (isAsked, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        verifier.during.withLock { during in
            during = {
                isAsked.signal()
                goOn.wait()
            }
        }
        let answers = Mutex(0)
        let askers = DispatchGroup()
        for number in 0..<4 {
            DispatchQueue.global().async(group: askers) {
                if (try? ask("a")) != nil { answers.withLock { $0 += 1 } }
            }
            if number == 0 { isAsked.wait() }
        }
        goOn.signal()
        askers.wait()
        #expect(answers.withLock { $0 } == 4 && verifier.count == 1)
    }
}
