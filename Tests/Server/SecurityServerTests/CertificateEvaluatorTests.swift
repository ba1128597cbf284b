import ChatelaineMemory
import ChatelaineModel
import ItemStore
import Synchronization
import Testing

@testable import SecurityServer

/// A search judges only certain certificates, and a limited number of them.
struct CertificateEvaluatorTests {
    /// A judge that trusts certificates whose first byte is even.
    private final class Judge: CertificateEvaluating {
        let judgements: CertificateEvaluationQuota
        let questions = Mutex<[TrustQuestion]>([])

        init(_ judgements: CertificateEvaluationQuota = CertificateEvaluationQuota()) { self.judgements = judgements }

        func isGood(_ question: TrustQuestion) throws(KeychainError) -> Bool {
            questions.withLock { $0.append(question) }
            return question.certificates.first?.first.map { $0 % 2 == 0 } ?? false
        }

        var count: Int { questions.withLock { $0.count } }
    }

    /// The clock, the waiting caller and the counter that a search uses.
    private final class Surroundings: Sendable {
        let now = Atomic<Int64>(0)
        let isAwaited = Atomic(true)
        let timesAside = Atomic(0)
    }

    private let judge = Judge()
    private var items: CertificateItems { CertificateItems(judge: judge) }

    private static func item(
        _ der: [UInt8], subject: UInt8? = nil, issuer: UInt8 = 0, _ accessibility: Accessibility = .always
    ) -> FoundItem {
        var attributes = AttributeSet()
        attributes[.issuer] = .data([issuer])
        attributes[.subject] = subject.map { .data([$0]) }
        return FoundItem(
            identifier: ItemIdentifier(), itemClass: .certificate, accessibility: accessibility,
            isSynchronizable: false,
            attributes: EncodedAttributes(attributes), secret: SecretBytes(der))
    }

    private static func query(_ limit: MatchLimit = .all) -> ItemQuery {
        var query = ItemQuery(itemClass: .certificate)
        (query.limit, query.returns) = (limit, .data)
        query.certificateTerms.isTrustedOnly = true
        return query
    }

    /// The items that match a query, up to its limit.
    private static func matching(_ query: ItemQuery, among stored: [FoundItem]) -> [FoundItem] {
        var found = stored
        if let items = query.items { found = found.filter { items.contains($0.identifier) } }
        if let subject = query.attributes[.subject] { found = found.filter { $0.attributes[.subject] == subject } }
        if let accessibility = query.accessibility { found = found.filter { $0.accessibility == accessibility } }
        return found.prefix(query.limit.maximum).map { item in
            var item = item
            if !query.returns.contains(.data) { item.secret = nil }
            if !query.returns.includeAttributes { item.encodedAttributes = nil }
            return item
        }
    }

    private func find(_ query: ItemQuery, among found: [FoundItem]) throws(KeychainError) -> [[UInt8]] {
        try items.rows(query) { (query) throws(KeychainError) in
            // Only trusted items are read for the answer.
            #expect(query.returns.isEmpty || query.items != nil)
            return Self.matching(query, among: found)
        } look: { (query) throws(KeychainError) in
            Self.matching(query, among: found)
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
        // All keychains of a request share its limit.
        #expect(throws: KeychainError(.param, "")) { try find(Self.query(), among: found.suffix(1)) }
        #expect(judge.count == CertificateLimits.maximumJudged)
    }

    /// The judge is asked about each certificate with its issuers, and nothing else.
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

    /// A certificate too large for an evaluation is not trusted, and costs nothing.
    @Test func whatIsTooLargeIsNotTrusted() throws {
        let large = Self.item([UInt8](repeating: 0, count: TrustLimits.maximumCertificateBytes + 1))
        #expect(try find(Self.query(), among: [large, Self.item([])]).isEmpty && judge.count == 0)
    }

    /// A certificate in several keychains, or in a repeated search, is judged once.
    @Test func aQuestionIsJudgedOnce() throws {
        let copies = [Self.item([0]), Self.item([0]), Self.item([2])]
        for _ in 0..<3 { #expect(try find(Self.query(), among: copies) == [[0], [0], [2]]) }
        #expect(judge.count == 2)
    }

    /// Issuers of one name are read up to the limit of a question, and a few more in case they are small.
    @Test func issuersAreReadWhileThereIsRoom() throws {
        let size = TrustLimits.maximumCertificateBytes
        let issuers = (0..<UInt8(100)).map {
            Self.item([1, $0] + [UInt8](repeating: 0, count: size - 2), subject: 7, issuer: 7)
        }
        let leaf = Self.item([0], issuer: 7)
        var readings = 0
        let found = try items.rows(Self.query(.one)) { (query) throws(KeychainError) in
            Self.matching(query, among: [leaf])
        } look: { (query) throws(KeychainError) in
            let found = Self.matching(query, among: issuers + [leaf])
            #expect(!query.returns.contains(.data) || found.count == 1)
            if query.returns.contains(.data) { readings += 1 }
            return found
        }
        let most = TrustLimits.maximumQuestionBytes + CertificateLimits.maximumPassedOverBytes
        #expect(found.count == 1 && readings <= most / size + 2)
    }

    /// Of two issuers of one name, the readable one counts.
    @Test func aLockedIssuerIsAsIfItWereNotThere() throws {
        let locked = Self.item([1], subject: 7, issuer: 8, .whenUnlocked)
        let stored = [Self.item([0], issuer: 7), locked, Self.item([3], subject: 7, issuer: 7, .always)]
        _ = try items.rows(Self.query(.one)) { (query) throws(KeychainError) in
            Self.matching(query, among: [stored[0]])
        } look: { (query) throws(KeychainError) in
            let found = Self.matching(query, among: stored)
            guard found.allSatisfy({ $0.accessibility == .always }) else {
                throw KeychainError(cause: .locked, "locked")
            }
            return found
        }
        #expect(judge.questions.withLock { $0.map(\.certificates) } == [[[0], [3]]])
    }

    /// `kSecMatchIssuers`: a loop ends, locked issuers are passed over, and a limited number of each subject is
    /// examined.
    @Test func issuersAboveAreLookedForWithinBounds() throws {
        let wanted: [UInt8] = [9]
        func leads(_ first: UInt8, _ stored: [FoundItem], locked: Accessibility? = nil) throws -> Bool {
            var chain = IssuerChain([wanted])
            return try chain.leads(from: Self.item([first], issuer: first).attributes) {
                (query) throws(KeychainError) in
                let found = Self.matching(query, among: stored)
                guard found.allSatisfy({ $0.accessibility != locked }) else {
                    throw KeychainError(cause: .locked, "locked")
                }
                return found
            }
        }
        let loop = [Self.item([1], subject: 7, issuer: 8), Self.item([2], subject: 8, issuer: 7)]
        #expect(try !leads(7, loop))
        #expect(try leads(7, loop + [Self.item([3], subject: 8, issuer: 9)]))
        let readable = [
            Self.item([1], subject: 7, issuer: 6, .whenUnlocked), Self.item([2], subject: 7, issuer: 9, .always),
        ]
        #expect(try leads(7, readable, locked: .whenUnlocked))
        let many = (0...CertificateLimits.maximumIssuersOfOneName).map {
            Self.item([4, UInt8($0 & 0xFF), UInt8($0 >> 8)], subject: 7, issuer: 7)
        }
        #expect(try !leads(7, many.dropLast()))
        #expect(throws: KeychainError(.param, "")) { try leads(7, many) }
    }

    /// A query for one group does not limit the groups of issuers.
    @Test func issuersOfOtherGroupsStandAbove() throws {
        let home = try WaitingHome()
        let opened = try home.home.registry.default.keychain()
        let caller = Caller.signed(["ABCDE12345.first", "ABCDE12345.second"])
        for (index, group) in caller.groups.prefix(2).enumerated() {
            let byte = UInt8(index)
            var item = NewItem(itemClass: .certificate)
            item.attributes[.subject] = .data([10 + byte])
            item.attributes[.issuer] = .data([11 + byte])
            item.attributes[.serialNumber] = .data([byte])
            (item.accessibility, item.secret) = (.always, SecretBytes([byte]))
            _ = try opened.store.add(item, group: group, request: .random())
        }
        let keychain = Keychain(
            opened: opened, identities: home.services.identities, name: .default, changes: home.services.changes,
            deciders: [AccessPolicy()], certificates: items)
        var query = Self.query()
        query.accessGroup = "ABCDE12345.first"
        var access = Authorisation(RequestAuthentication(home.services.enclave, of: nil))
        #expect(try keychain.find(query, for: caller, &access, whenLarge: {}).count == 1)
        #expect(judge.questions.withLock { $0.map(\.certificates) } == [[[0], [1]]])
    }

    /// No keychain is passed over for lack of time, and nothing is begun for a caller that no longer waits.
    @Test func aSearchEndsInTime() throws {
        let surroundings = Surroundings()
        let limited = CertificateEvaluationQuota(
            isAwaited: { surroundings.isAwaited.load(ordering: .relaxed) },
            aside: { surroundings.timesAside.add(1, ordering: .relaxed) },
            clock: { surroundings.now.load(ordering: .relaxed) })
        func verdict(
            _ byte: UInt8, _ failure: KeychainError? = nil, seconds: Int = 0
        ) throws(KeychainError) -> Bool {
            try limited.verdict(on: TrustQuestion([[byte]], policies: [])) { (_) throws(KeychainError) in
                surroundings.now.add(Int64(seconds) * 1000, ordering: .relaxed)
                if let failure { throw failure }
                return true
            }
        }
        func cause(_ byte: UInt8, _ failure: KeychainError? = nil) -> KeychainError.Cause? {
            do throws(KeychainError) { _ = try verdict(byte, failure) } catch { return error.cause }
            return nil
        }
        #expect(try verdict(0))
        // The judge was busy, which is not the keychain's fault.
        #expect(cause(1, KeychainError(.notAvailable, "busy")) == .request)
        // Other waiting time, such as a dialog, does not count as judging.
        surroundings.now.add(Int64(CertificateLimits.maximumJudgingSeconds) * 1000, ordering: .relaxed)
        #expect(try verdict(2, seconds: CertificateLimits.maximumJudgingSeconds - 1))
        #expect(try verdict(3, seconds: 1))
        #expect(throws: KeychainError(.notAvailable, "")) { try verdict(1) }
        #expect(cause(1) == .request)
        // A known verdict stays known.
        #expect(try verdict(0))
        surroundings.isAwaited.store(false, ordering: .relaxed)
        #expect(cause(1) == .request)
        #expect(surroundings.timesAside.load(ordering: .relaxed) == 4)
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
