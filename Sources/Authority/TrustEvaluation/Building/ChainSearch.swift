import ChatelaineSystem
import CodeSignatures
import SwiftASN1
import TrustProtocol
import X509

/// Lets swift-certificates walk the paths from a certificate, and keeps the best chain.
struct ChainSearch {
    private let candidates: Candidates
    private let examination: ChainExamination

    init(_ candidates: Candidates, _ examination: ChainExamination) {
        self.candidates = candidates
        self.examination = examination
    }

    struct Found {
        let chain: ExaminedChain
        /// Whether more time might have found another chain.
        let wasCutShort: Bool
    }

    /// Returns a chain without a defect if there is one; otherwise the best one to report.
    ///
    /// - Parameter time: the limit for each of two walks.
    func run(time: Duration = SearchBudget.time) -> Found {
        let (budget, other) = (SearchBudget(time: time), SearchBudget(time: time))
        if let anchored = walk(to: candidates.anchors, isAnchored: true, budget) {
            return Found(chain: anchored, wasCutShort: !anchored.isGood && budget.wasCutShort)
        }
        // Nothing leads to an anchor, so the chain that leads furthest is reported.
        let longest = walk(to: candidates.between + candidates.anchors, isAnchored: false, other)
        return Found(
            chain: longest ?? examination.examine([candidates.leaf], isAnchored: false),
            wasCutShort: budget.wasCutShort || other.wasCutShort)
    }

    private func walk(to ends: [ReadCertificate], isAnchored: Bool, _ budget: SearchBudget) -> ExaminedChain? {
        let judge = ChainVerifierPolicy(
            verifyingCriticalExtensions: candidates.critical, candidates: candidates, examination: examination,
            isAnchored: isAnchored, budget: budget)
        let roots = CertificateStore(custom: BoundedStore(ends, budget))
        let between = CertificateStore(custom: BoundedStore(candidates.between, budget))
        let leaf = candidates.leaf.certificate
        _ = InlineExecutor.run {
            var verifier = Verifier(rootCertificates: roots) { judge }
            return await verifier.validate(leaf: leaf, intermediates: between)
        }
        return judge.best.withLock { $0 }
    }
}

/// The policy that swift-certificates calls for each chain that reaches an end.
///
/// It examines the chain, and accepts one without a defect.
struct ChainVerifierPolicy: VerifierPolicy {
    /// All critical extensions that occur.
    ///
    /// The examination decides which are understood, because it names the defect.
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]
    let candidates: Candidates
    let examination: ChainExamination
    let isAnchored: Bool
    let budget: SearchBudget
    let best: SharedBest = SharedBest(nil)

    typealias SharedBest = Shared<ExaminedChain?>

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let certificates = chain.compactMap { candidates.read($0) }
        guard certificates.count == chain.count, budget.takeChain() else {
            return .failsToMeetPolicy(reason: "it is not looked at")
        }
        let examined = examination.examine(certificates, isAnchored: isAnchored)
        best.withLock { best in
            if best.map({ examined.isBetter(than: $0) }) ?? true { best = examined }
        }
        return isAnchored && examined.isGood ? .meetsPolicy : .failsToMeetPolicy(reason: "it has defects")
    }
}

/// A value that the policy shares with the caller of the search.
final class Shared<Value: Sendable>: Sendable {
    private let value: AdaptiveMutex<Value>

    init(_ value: Value) { self.value = AdaptiveMutex(value) }

    func withLock<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer { value.withLock { body(&$0) } }
}

extension Candidates {
    /// The identifiers of the critical extensions of all certificates.
    var critical: [ASN1ObjectIdentifier] {
        let all = ([leaf] + between + anchors).flatMap { read in
            read.certificate.extensions.filter(\.critical).map(\.oid)
        }
        return Array(Set(all))
    }
}
