import ChatelaineMemory
import ChatelaineModel
import ItemStore
import Synchronization
import Testing

@testable import SecurityServer

/// Which certificates of a search are judged, and how many.
struct CertificateJudgeTests {
    /// Finds those good whose first byte is even.
    private final class Judge: CertificateJudging {
        let budget = JudgementBudget()
        let questions = Mutex<[TrustQuestion]>([])

        func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool {
            questions.withLock { $0.append(question) }
            return question.certificates.first?.first.map { $0 % 2 == 0 } ?? false
        }

        var count: Int { questions.withLock { $0.count } }
    }

    private let judge = Judge()
    private var items: CertificateItems { CertificateItems(judge: judge) }

    private static func item(_ der: [UInt8], subject: UInt8? = nil, issuer: UInt8 = 0) -> FoundItem {
        var attributes = AttributeSet()
        attributes[.issuer] = .data([issuer])
        attributes[.subject] = subject.map { .data([$0]) }
        return FoundItem(
            identifier: ItemIdentifier(), itemClass: .certificate, accessibility: .always, isSynchronizable: false,
            attributes: EncodedAttributes(attributes), secret: SecretBytes(der))
    }

    private static func query(_ limit: MatchLimit = .all) -> ItemQuery {
        var query = ItemQuery(itemClass: .certificate)
        (query.limit, query.returns) = (limit, .data)
        query.certificateTerms.isTrustedOnly = true
        return query
    }

    private func find(_ query: ItemQuery, among found: [FoundItem]) throws(KeychainError) -> [[UInt8]] {
        try items.rows(query) { (query) throws(KeychainError) in
            #expect(query.limit == .all && query.returns.contains(.data))
            return found
        } look: { (query) throws(KeychainError) in
            found.filter { query.attributes[.subject] != nil && $0.attributes[.subject] == query.attributes[.subject] }
        }.map { $0.secret?.withUnsafeBytes { [UInt8]($0) } ?? [] }
    }

    @Test func theLimitCountsWhatIsGoodAndEndsTheWork() throws {
        let found = (0..<10).map { Self.item([UInt8($0)]) }
        #expect(try find(Self.query(.count(2)), among: found) == [[0], [2]])
        #expect(judge.count == 3)
        var query = Self.query()
        query.returns = []
        #expect(try find(query, among: found) == [[], [], [], [], []])
    }

    @Test func aSearchJudgesSoManyAndNoMore() throws {
        let found = (0...CertificateLimits.maximumJudged).map { Self.item([1, UInt8($0 & 0xFF), UInt8($0 >> 8)]) }
        #expect(try find(Self.query(), among: Array(found.dropLast())).isEmpty)
        #expect(judge.count == CertificateLimits.maximumJudged)
        // It is one request, whichever keychain comes next.
        #expect(throws: KeychainError(.param, "")) { try find(Self.query(), among: [found[0]]) }
        #expect(judge.count == CertificateLimits.maximumJudged)
    }

    /// Each is asked about with what stands above it, and with nothing else.
    @Test func issuersGoWithTheQuestion() throws {
        let found = [
            Self.item([0], subject: 10, issuer: 11), Self.item([1], subject: 11, issuer: 12),
            Self.item([3], subject: 12, issuer: 12), Self.item([5], subject: 13, issuer: 13),
        ]
        #expect(try find(Self.query(.one), among: found) == [[0]])
        let question = try #require(judge.questions.withLock { $0.first })
        #expect(question.certificates == [[0], [1], [3]] && question.allowsFetching == false)
        #expect(question.policies == [TrustPolicy(.basic)])
    }

    /// What an evaluation does not look at is not trusted, and is no work.
    @Test func whatIsTooLargeIsNotTrusted() throws {
        let large = Self.item([UInt8](repeating: 0, count: TrustLimits.maximumCertificateBytes + 1))
        #expect(try find(Self.query(), among: [large, Self.item([])]).isEmpty && judge.count == 0)
    }

    @Test func nobodyJudgesWhereNobodyIsThere() {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try CertificateItems().rows(Self.query()) { _ in
                [Self.item([0])]
            } look: { _ in
                []
            }
        }
    }
}
