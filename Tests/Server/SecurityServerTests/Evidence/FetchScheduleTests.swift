import Testing
import TrustProtocol

@testable import SecurityServer

/// A class, because the macro `#expect` calls mutating functions of objects only.
private final class RoundsInUse {
    private var rounds: FetchSchedule

    init(_ fetcher: FakeFetcher) { rounds = FetchSchedule(fetcher, at: [80], for: .test()) }

    var evidence: FetchedEvidence { rounds.evidence }

    func fetch(_ needs: [EvidenceNeed]) -> Bool { rounds.fetch(needs) }
}

/// The schedule decides which source is asked when, and when no more is asked.
struct FetchScheduleTests {
    private func source(_ url: String, _ kind: EvidenceSource.Kind = .list) -> EvidenceSource {
        EvidenceSource(kind, at: url, request: kind == .response ? [1] : [])
    }

    private func need(_ urls: String...) -> EvidenceNeed { EvidenceNeed(urls.map { source($0) }) }

    private func rounds(_ fetcher: FakeFetcher) -> RoundsInUse { RoundsInUse(fetcher) }

    @Test func whatCameIsSortedByItsKind() {
        let fetcher = FakeFetcher(["o": [1], "l": [2], "i": [3]])
        let rounds = rounds(fetcher)
        #expect(
            rounds.fetch([
                EvidenceNeed([source("o", .response)]), EvidenceNeed([source("l")]),
                EvidenceNeed([source("i", .issuer)]),
            ]))
        #expect(fetcher.batches == [["o", "l", "i"]])
        var evidence = FetchedEvidence()
        (evidence.responses, evidence.revocationLists, evidence.issuers) = ([[1]], [[2]], [[3]])
        #expect(rounds.evidence == evidence)
    }

    @Test func sourcesAreAskedInTheirOrderAndOnce() {
        let fetcher = FakeFetcher(["b": [1], "c": [2], "x": [3]])
        let rounds = rounds(fetcher)
        // The first source has nothing, so the second is asked in the same round.
        #expect(rounds.fetch([need("a", "b", "c")]))
        #expect(fetcher.batches == [["a"], ["b"]])
        #expect(rounds.fetch([need("a", "b", "c"), need("c", "x")]))
        #expect(fetcher.batches.last == ["c"])
        #expect(rounds.evidence.revocationLists == [[1], [2]])
        #expect(rounds.fetch([need("a", "b", "c"), need("c", "x")]))
        #expect(!rounds.fetch([need("a", "b", "c"), need("c", "x")]))
        #expect(fetcher.orders.count == 4)
        #expect(!rounds.fetch([]))
    }

    /// A kept answer that is of no use is asked for once more, before the next source.
    @Test func aRememberedAnswerIsAskedForAnewOnce() {
        let fetcher = FakeFetcher(["b": [9]])
        fetcher.remember([1], of: "a", renewed: [2])
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("a", "b")]))
        #expect(rounds.evidence.revocationLists == [[1]])
        #expect(rounds.fetch([need("a", "b")]))
        #expect(fetcher.orders.map(\.isAnew) == [false, true])
        // The new answer replaces the old one.
        #expect(rounds.evidence.revocationLists == [[2]])
        #expect(rounds.fetch([need("a", "b")]))
        #expect(fetcher.batches == [["a"], ["a"], ["b"]])
        // The same answer as before does not count as a new one.
        let same = FakeFetcher()
        same.remember([1], of: "a", renewed: [1])
        let others = self.rounds(same)
        #expect(others.fetch([need("a")]))
        #expect(!others.fetch([need("a")]))
        #expect(same.orders.map(\.isAnew) == [false, true])
    }

    @Test func nothingIsAskedBeyondTheTime() {
        let fetcher = FakeFetcher(["b": [1]], milliseconds: FetchSchedule.milliseconds)
        let rounds = rounds(fetcher)
        #expect(!rounds.fetch([need("a", "b")]))
        #expect(fetcher.batches == [["a"]])
        #expect(!rounds.fetch([need("b")]))
        #expect(fetcher.batches.count == 1)
    }

    /// Only the time of servers counts, because the sender of a chain can make trustd take long.
    @Test func theTimeIsThatOfServers() {
        let fetcher = FakeFetcher(["a": [1]])
        let rounds = rounds(fetcher)
        fetcher.clock.pass(milliseconds: 2 * FetchSchedule.milliseconds)
        #expect(rounds.fetch([need("a")]))
    }

    /// Others are asked meanwhile, and a late answer counts.
    @Test func aSlowServerHoldsUpNoOther() {
        let fetcher = FakeFetcher(["b": [2], "c": [3], "slow": [4]])
        fetcher.delay("slow", batches: 3)
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("a", "b", "c"), need("slow")]))
        #expect(fetcher.batches == [["a", "slow"], ["b", "slow"]])
        #expect(rounds.fetch([need("a", "b", "c"), need("slow")]))
        #expect(fetcher.batches.last == ["c", "slow"])
        #expect(rounds.fetch([need("a", "b", "c"), need("slow")]))
        #expect(rounds.evidence.revocationLists == [[2], [3], [4]])
        // A silent server is waited for as long as there is time.
        let silent = FakeFetcher()
        silent.delay("silent", batches: 100)
        let others = self.rounds(silent)
        #expect(!others.fetch([need("silent")]))
        #expect(silent.now == FetchSchedule.milliseconds)
        // A fetcher that does not wait at all is not asked for ever.
        let hasty = RoundsInUse(FakeFetcher())
        #expect(!hasty.fetch([need("x")]))
    }

    @Test func roundsAndOrdersAreBounded() {
        let urls = (0..<100).map { "\($0)" }
        let answers = Dictionary(uniqueKeysWithValues: urls.map { ($0, [UInt8]($0.utf8)) })
        let fetcher = FakeFetcher(answers)
        let rounds = rounds(fetcher)
        var count = 0
        while rounds.fetch([need(urls[count])]) { count += 1 }
        #expect(count == FetchSchedule.maximumRounds)
        let many = FakeFetcher(answers)
        let others = self.rounds(many)
        let half = FetchSchedule.maximumOrders / 2
        #expect(others.fetch(urls.prefix(20).map { need($0) }))
        #expect(many.orders.count == half)
        // The other half is for certificates whose issuers lack no evidence, one after the other.
        #expect(others.fetch([need("50", "51"), need("60")]))
        #expect(others.fetch([need("50", "51", "52", "53"), need("60")]))
        #expect(many.orders.suffix(2).map(\.source.url) == ["50", "51"])
        #expect(many.orders.filter(\.isForemost).map(\.source.url) == ["0", "50", "51"])
        var last = 70
        while others.fetch([need(urls[last])]) { last += 1 }
        #expect(many.orders.count <= FetchSchedule.maximumOrders)
    }

    // MARK: Whose answers count first

    /// Needs are listed from the anchor down. A stranger has chosen the servers of the lower ones.
    @Test func whatIsLowerTakesNothingFromWhatIsHigher() {
        let large = EvidenceLimits.maximumFetchedBytes / 2
        func filled(_ byte: UInt8, _ count: Int = large) -> [UInt8] { [UInt8](repeating: byte, count: count) }
        let upper = filled(9, 1024)
        let fetcher = FakeFetcher([
            "issuer": filled(1), "low": filled(2), "low2": filled(3), "low3": filled(4), "upper": upper,
        ])
        fetcher.delay("upper", batches: 2)
        let rounds = rounds(fetcher)
        _ = rounds.fetch([EvidenceNeed([source("issuer", .issuer)])])
        for _ in 0..<2 { #expect(rounds.fetch([need("upper"), need("low", "low2", "low3")])) }
        #expect(rounds.evidence.revocationLists.map(\.count) == [large, large])
        #expect(rounds.fetch([need("upper"), need("low", "low2", "low3")]))
        #expect(rounds.evidence.revocationLists.contains(upper))
        // No evidence of a higher certificate gives way to a lower one's.
        #expect(!rounds.fetch([need("none"), need("low", "low2", "low3")]))
        #expect(rounds.evidence.revocationLists.contains(upper))
    }

    /// A stranger's server may copy an authority's answer and then withdraw it.
    @Test func whatSeveralSayIsTheHigherOnes() {
        let fetcher = FakeFetcher(["upper": [1]])
        fetcher.remember([1], of: "low", renewed: [2])
        fetcher.delay("upper", batches: 1)
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("upper"), need("low")]))
        #expect(rounds.fetch([need("upper"), need("low")]))
        #expect(rounds.evidence.revocationLists == [[1], [2]])
    }

    @Test func issuersHaveAShareOfTheirOwn() {
        func issuer(_ urls: String...) -> [EvidenceNeed] { [EvidenceNeed(urls.map { source($0, .issuer) })] }
        let names = (0..<50).map { "\($0)" }
        var answers = Dictionary(uniqueKeysWithValues: names.map { ($0, [UInt8]($0.utf8)) })
        answers["upper"] = [1]
        let fetcher = FakeFetcher(answers)
        let rounds = rounds(fetcher)
        var count = 0
        while rounds.fetch(issuer(names[count])) { count += 1 }
        #expect(count == FetchSchedule.maximumIssuerRounds)
        #expect(rounds.fetch([need("upper")]))
        // The servers are slow.
        let slow = FakeFetcher(answers)
        slow.delay("0", batches: 100)
        let patient = self.rounds(slow)
        #expect(!patient.fetch(issuer("0")))
        #expect(slow.now == FetchSchedule.issuerMilliseconds)
        #expect(patient.fetch([need("upper")]))
        // Many servers have nothing.
        let empty = FakeFetcher(["upper": [1]])
        let persistent = self.rounds(empty)
        #expect(!persistent.fetch([EvidenceNeed(names.map { source($0, .issuer) })]))
        #expect(empty.orders.count == FetchSchedule.maximumIssuerOrders)
        #expect(persistent.fetch([need("upper")]))
    }

    /// The issuers' bytes are searched for the names of all roots and settings.
    @Test func bytesOfIssuersAreBounded() {
        let most = EvidenceLimits.maximumIssuerBytes
        let fetcher = FakeFetcher([
            "a": [UInt8](repeating: 1, count: most + 1), "b": [UInt8](repeating: 2, count: most), "c": [3],
        ])
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([EvidenceNeed(["a", "b"].map { source($0, .issuer) })]))
        #expect(!rounds.fetch([EvidenceNeed([source("c", .issuer)])]))
        #expect(rounds.evidence.issuers.map(\.count) == [most])
    }

    @Test func bytesAreBounded() {
        let half = EvidenceLimits.maximumFetchedBytes / 2
        let fetcher = FakeFetcher([
            "a": [UInt8](repeating: 1, count: half), "b": [UInt8](repeating: 2, count: half), "c": [3], "d": [4],
        ])
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("a"), need("b")]))
        // Evidence of lower certificates gives way, but not evidence of the same one.
        #expect(rounds.fetch([need("c")]))
        #expect(rounds.evidence.revocationLists.map(\.count) == [half, 1])
        #expect(rounds.fetch([need("none"), need("b", "d")]))
        #expect(rounds.evidence.revocationLists.map(\.count) == [half, 1, 1])
    }
}
