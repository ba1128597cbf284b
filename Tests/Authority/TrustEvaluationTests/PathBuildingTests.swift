import ChatelaineModel
import Crypto
import Foundation
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Paths that cross, loop, are many or are long are searched within limits.
struct PathBuildingTests {
    typealias Wish = TestCertificate.Wish

    private static let key = Certificate.PrivateKey(P256.Signing.PrivateKey())

    private func evaluate(
        _ certificates: [TestCertificate], anchors: [TestCertificate], _ policy: TrustPolicy = TrustPolicy(.basic)
    ) -> TrustVerdict {
        var question = TrustQuestion(certificates.map(\.der), policies: [policy])
        question.anchors = anchors.map(\.der)
        question.hasOwnAnchorsOnly = true
        return TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
    }

    @Test func theOrderIsNobodysConcern() throws {
        let chain = try TestChain()
        let second = try TestCertificate(.authority("Second"), by: chain.between)
        let leaf = try TestCertificate(Wish(), by: second)
        let verdict = evaluate([leaf, chain.root, chain.between, chain.leaf, second], anchors: [chain.root])
        #expect(verdict.isTrusted)
        #expect(verdict.chain.map(\.summary) == ["leaf.example.com", "Second", "Between", "Root"])
    }

    @Test func aCrossSignedIssuerLeadsBothWays() throws {
        let (old, new) = (try TestCertificate(.authority("Old")), try TestCertificate(.authority("New")))
        let shared = Wish.authority("Shared").with { $0.key = Self.key }
        let (byOld, byNew) = (try TestCertificate(shared, by: old), try TestCertificate(shared, by: new))
        let leaf = try TestCertificate(Wish(), by: byOld)
        for anchor in [old, new] {
            let verdict = evaluate([leaf, byOld, byNew], anchors: [anchor])
            #expect(verdict.isTrusted && verdict.chain.last?.certificate == anchor.der)
        }
    }

    @Test func anExpiredWayIsLeftForAGoodOne() throws {
        let root = try TestCertificate(.authority("Root"))
        let shared = Wish.authority("Shared").with { $0.key = Self.key }
        let expired = try TestCertificate(shared.with { $0.until = TestCertificate.now - 1 }, by: root)
        let renewed = try TestCertificate(shared, by: root)
        let leaf = try TestCertificate(Wish(), by: expired)
        for order in [[leaf, expired, renewed], [leaf, renewed, expired]] {
            let verdict = evaluate(order, anchors: [root])
            #expect(verdict.isTrusted && verdict.chain[1].certificate == renewed.der)
        }
    }

    @Test func twoIssuersOfEachOtherAreNoLoop() throws {
        let (one, two) = (
            Certificate.PrivateKey(P256.Signing.PrivateKey()), Certificate.PrivateKey(P256.Signing.PrivateKey())
        )
        let first = try TestCertificate(.authority("One").with { $0.key = one })
        let second = try TestCertificate(.authority("Two").with { $0.key = two })
        let firstBySecond = try TestCertificate(.authority("One").with { $0.key = one }, by: second)
        let secondByFirst = try TestCertificate(.authority("Two").with { $0.key = two }, by: first)
        let leaf = try TestCertificate(Wish(), by: first)
        let lost = evaluate([leaf, firstBySecond, secondByFirst], anchors: [])
        #expect(!lost.isTrusted && lost.chain.count <= 3)
        #expect(evaluate([leaf, firstBySecond, secondByFirst], anchors: [second]).isTrusted)
    }

    /// The limit only says which test hangs: all paths would take years.
    @Test(.timeLimit(.minutes(10))) func aHundredThatAllIssueEachOtherEnd() throws {
        let count = 100
        let keys = (0..<count).map { _ in Certificate.PrivateKey(P256.Signing.PrivateKey()) }
        let issuers = try (0..<count).map { index in
            try TestCertificate(.authority("Issuer \(index)").with { $0.key = keys[index] })
        }
        // Nine others certify each issuer, which gives 900 certificates and too many paths to try all.
        var crossed: [TestCertificate] = []
        for index in 0..<count {
            for step in 1...9 {
                crossed.append(
                    try TestCertificate(
                        .authority("Issuer \(index)").with { $0.key = keys[index] },
                        by: issuers[(index + step * step) % count]))
            }
        }
        let leaf = try TestCertificate(Wish(), by: issuers[0])
        #expect(!evaluate([leaf] + crossed, anchors: [try TestCertificate(.authority("Elsewhere"))]).isTrusted)
        let root = try TestCertificate(.authority("Root"))
        let good = try TestCertificate(.authority("Issuer 0").with { $0.key = keys[0] }, by: root)
        #expect(evaluate([leaf, good] + crossed, anchors: [root]).isTrusted)
    }

    @Test func aThousandInARowLeadNowhere() throws {
        let root = try TestCertificate(.authority("Root"))
        var issuer = root
        var all: [TestCertificate] = []
        for index in 0..<1000 {
            issuer = try TestCertificate(.authority("Issuer \(index)"), by: issuer)
            all.append(issuer)
        }
        let leaf = try TestCertificate(Wish(), by: issuer)
        let verdict = evaluate([leaf] + all.prefix(999), anchors: [root])
        #expect(!verdict.isTrusted && verdict.chain.count <= TrustLimits.maximumChain)
        // At most fourteen certificates may stand between.
        for (between, isTrusted) in [(14, true), (15, false)] {
            let short = try TestCertificate(Wish(), by: all[between - 1])
            #expect(evaluate([short] + all.prefix(between), anchors: [root]).isTrusted == isTrusted, "\(between)")
        }
    }

    @Test func manyIssuersOfOneNameAreNotAllTried() throws {
        let root = try TestCertificate(.authority("Root"))
        let same = try (0..<200).map { _ in try TestCertificate(.authority("Same"), by: root) }
        let leaf = try TestCertificate(Wish(), by: same[0])
        #expect(evaluate([leaf] + same, anchors: [root]).isTrusted)
        #expect(
            !evaluate(
                [try TestCertificate(Wish(), by: try TestCertificate(.authority("Same")))] + same, anchors: [root]
            ).isTrusted)
    }

    @Test func whatIsTooLargeIsRefusedBeforeItIsRead() throws {
        let large = [UInt8](repeating: 0x30, count: TrustLimits.maximumCertificateBytes + 1)
        #expect(throws: KeychainError.self) { try TrustQuestion([large], policies: [TrustPolicy(.basic)]).checkSize() }
        let many = [[UInt8]](repeating: [0x30], count: TrustLimits.maximumCertificates + 1)
        #expect(throws: KeychainError.self) { try TrustQuestion(many, policies: [TrustPolicy(.basic)]).checkSize() }
        let sum = [[UInt8]](repeating: [UInt8](repeating: 1, count: 60_000), count: 20)
        #expect(throws: KeychainError.self) { try TrustQuestion(sum, policies: [TrustPolicy(.basic)]).checkSize() }
        #expect(throws: KeychainError.self) { try TrustQuestion([], policies: [TrustPolicy(.basic)]).checkSize() }
        #expect(throws: KeychainError.self) { try TrustQuestion([[1]], policies: []).checkSize() }
    }
}
