import Testing
import TrustProtocol

@testable import SecurityServer

/// A class, because the macro `#expect` calls mutating functions of objects only.
private final class CacheInUse {
    private var cache = EvidenceCache()

    var count: Int { cache.count }
    var bytes: Int { cache.bytes }

    func look(up order: EvidenceOrder, at now: Int64) -> EvidenceCache.Knowledge { cache.look(up: order, at: now) }
    func note(_ content: [UInt8]?, of source: EvidenceSource, at now: Int64) {
        cache.note(content, of: source, at: now)
    }
}

/// Answers of servers are kept for a limited time and in a limited amount.
struct EvidenceCacheTests {
    private let source = EvidenceSource(.list, at: "http://a/")
    private let minute = EvidenceCache.failureMilliseconds
    private let hour = EvidenceCache.contentMilliseconds

    private func order(_ source: EvidenceSource, anew: Bool = false) -> EvidenceOrder {
        EvidenceOrder(source: source, isAnew: anew)
    }

    private func answer(_ content: [UInt8], renewable: Bool = false) -> EvidenceCache.Knowledge {
        .answer(EvidenceAnswer(content: content, isRenewable: renewable))
    }

    @Test func anAnswerCountsForAnHour() {
        let cache = CacheInUse()
        #expect(cache.look(up: order(source), at: 0) == .nothing)
        cache.note([1], of: source, at: 1000)
        #expect(cache.look(up: order(source), at: 1000 + minute - 1) == answer([1]))
        #expect(cache.look(up: order(source), at: 1000 + minute) == answer([1], renewable: true))
        #expect(cache.look(up: order(source), at: 1000 + hour - 1) == answer([1], renewable: true))
        #expect(cache.look(up: order(source), at: 1000 + hour) == .nothing)
    }

    /// An unusable answer is asked for again, but not each time.
    @Test func anewMeansYoungerThanAMinute() {
        let cache = CacheInUse()
        cache.note([1], of: source, at: 0)
        #expect(cache.look(up: order(source, anew: true), at: minute - 1) == answer([1]))
        #expect(cache.look(up: order(source, anew: true), at: minute) == .nothing)
        cache.note([2], of: source, at: minute)
        #expect(cache.look(up: order(source, anew: true), at: minute) == answer([2]))
    }

    @Test func aFailureCountsForAMinute() {
        let cache = CacheInUse()
        cache.note(nil, of: source, at: 0)
        #expect(cache.look(up: order(source), at: minute - 1) == .failure)
        #expect(cache.look(up: order(source, anew: true), at: minute - 1) == .failure)
        #expect(cache.look(up: order(source), at: minute) == .nothing)
        cache.note([1], of: source, at: minute)
        #expect(cache.look(up: order(source), at: minute) == answer([1]))
        // A failure does not invalidate an earlier answer.
        cache.note(nil, of: source, at: 2 * minute)
        #expect(cache.look(up: order(source), at: 2 * minute) == answer([1], renewable: true))
        #expect(cache.look(up: order(source, anew: true), at: 2 * minute) == .failure)
    }

    @Test func kindsAndQuestionsAreApart() {
        let cache = CacheInUse()
        cache.note([1], of: EvidenceSource(.response, at: "http://a/", request: [1]), at: 0)
        for other in [
            EvidenceSource(.response, at: "http://a/", request: [2]), EvidenceSource(.list, at: "http://a/"),
            EvidenceSource(.issuer, at: "http://a/"), EvidenceSource(.response, at: "http://b/", request: [1]),
        ] { #expect(cache.look(up: order(other), at: 0) == .nothing) }
    }

    @Test func numberAndBytesAreBounded() {
        let cache = CacheInUse()
        func source(_ number: Int) -> EvidenceSource { EvidenceSource(.list, at: "http://a/\(number)") }
        for number in 0..<EvidenceCache.maximumEntries { cache.note([1], of: source(number), at: 0) }
        // The first entry was just used, so the second is removed.
        #expect(cache.look(up: order(source(0)), at: 0) == answer([1]))
        cache.note([1], of: source(-1), at: 0)
        #expect(cache.count == EvidenceCache.maximumEntries)
        #expect(cache.look(up: order(source(0)), at: 0) == answer([1]))
        #expect(cache.look(up: order(source(1)), at: 0) == .nothing)
        let large = [UInt8](repeating: 0, count: 1024 * 1024)
        for number in 0..<20 { cache.note(large, of: source(number), at: 0) }
        #expect(cache.bytes <= EvidenceCache.maximumBytes && cache.bytes > EvidenceCache.maximumBytes / 2)
        // A repeated entry takes no more room.
        let bytes = cache.bytes
        cache.note(large, of: source(19), at: 0)
        #expect(cache.bytes == bytes)
    }
}
