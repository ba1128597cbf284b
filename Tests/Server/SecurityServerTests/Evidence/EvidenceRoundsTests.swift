import Testing
import TrustProtocol

@testable import SecurityServer

/// A macro that expects takes calls of objects alone.
private final class RoundsInUse {
    private var rounds: EvidenceRounds

    init(_ fetcher: FakeFetcher) { rounds = EvidenceRounds(fetcher, at: [80], for: "p") }

    var evidence: FetchedEvidence { rounds.evidence }

    func fetch(_ needs: [EvidenceNeed]) -> Bool { rounds.fetch(needs) }
}

/// Which source is asked when, and when no more is.
struct EvidenceRoundsTests {
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
        // The first has nothing: the second is asked in the same round.
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

    /// What is remembered of a source and of no use is asked for once more, before the next source.
    @Test func aRememberedAnswerIsAskedForAnewOnce() {
        let fetcher = FakeFetcher(["b": [9]])
        fetcher.remember([1], of: "a", renewed: [2])
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("a", "b")]))
        #expect(rounds.evidence.revocationLists == [[1]])
        #expect(rounds.fetch([need("a", "b")]))
        #expect(fetcher.orders.map(\.isAnew) == [false, true])
        // The new one is there in the place of the old one.
        #expect(rounds.evidence.revocationLists == [[2]])
        #expect(rounds.fetch([need("a", "b")]))
        #expect(fetcher.batches == [["a"], ["a"], ["b"]])
        // The same answer as before is none.
        let same = FakeFetcher()
        same.remember([1], of: "a", renewed: [1])
        let others = self.rounds(same)
        #expect(others.fetch([need("a")]))
        #expect(!others.fetch([need("a")]))
        #expect(same.orders.map(\.isAnew) == [false, true])
    }

    @Test func nothingIsAskedBeyondTheTime() {
        let fetcher = FakeFetcher(["b": [1]], milliseconds: EvidenceRounds.milliseconds)
        let rounds = rounds(fetcher)
        #expect(!rounds.fetch([need("a", "b")]))
        #expect(fetcher.batches == [["a"]])
        #expect(!rounds.fetch([need("b")]))
        #expect(fetcher.batches.count == 1)
    }

    @Test func roundsAndOrdersAreBounded() {
        let urls = (0..<100).map { "\($0)" }
        let answers = Dictionary(uniqueKeysWithValues: urls.map { ($0, [UInt8]($0.utf8)) })
        let fetcher = FakeFetcher(answers)
        let rounds = rounds(fetcher)
        var count = 0
        while rounds.fetch([need(urls[count])]) { count += 1 }
        #expect(count == EvidenceRounds.maximumRounds)
        let many = FakeFetcher(answers)
        let others = self.rounds(many)
        #expect(others.fetch(urls.prefix(10).map { need($0) }))
        #expect(others.fetch(urls.suffix(10).map { need($0) }))
        #expect(!others.fetch([need("50")]))
        #expect(many.orders.count == EvidenceRounds.maximumOrders)
    }

    @Test func bytesAreBounded() {
        let half = EvidenceLimits.maximumFetchedBytes / 2
        let fetcher = FakeFetcher([
            "a": [UInt8](repeating: 1, count: half), "b": [UInt8](repeating: 2, count: half), "c": [3],
        ])
        let rounds = rounds(fetcher)
        #expect(rounds.fetch([need("a"), need("b")]))
        #expect(!rounds.fetch([need("c")]))
        #expect(rounds.evidence.revocationLists.map(\.count) == [half, half])
    }
}
