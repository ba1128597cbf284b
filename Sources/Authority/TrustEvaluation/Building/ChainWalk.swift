import ChatelaineSystem
import CodeSignatures
import SwiftASN1
import X509

/// Walks the paths from a certificate to the ends of chains.
///
/// swift-certificates walks them and verifies signatures, as far as it knows their algorithms. A certificate that it
/// can read from a ``ReadableCopy`` alone is an end to it. There this type verifies the signature, and walks on from
/// each issuer.
struct ChainWalk {
    private let candidates: Candidates
    private let report: ChainReport
    private let budget: SearchBudget
    private let roots: CertificateStore
    private let between: CertificateStore
    private let issuers: [ComparableName: [ReadCertificate]]
    private let places: ChainPlaces
    private let critical: [ASN1ObjectIdentifier]

    init(_ candidates: Candidates, to ends: [ReadCertificate], _ report: ChainReport, _ budget: SearchBudget) {
        self.candidates = candidates
        self.report = report
        self.budget = budget
        critical = candidates.critical
        places = ChainPlaces(ends: Set(ends.map(\.der)), between: Set(candidates.between.map(\.der)))
        let copied = candidates.between.filter { [places] in $0.isCopied && !places.ends.contains($0.der) }
        roots = CertificateStore(custom: BoundedStore(ends + copied, budget))
        between = CertificateStore(custom: BoundedStore(candidates.between.filter { !$0.isCopied }, budget))
        let others = candidates.between.filter { [places] in !places.ends.contains($0.der) }
        issuers = Dictionary(grouping: ends + others, by: \.subjectName)
    }

    /// Walks until a chain needs no better one, all paths are walked, or the budget is spent.
    func run() {
        var paths = [[candidates.leaf]]
        // Paths that are left over would each be compared with all issuers of one name.
        while budget.isInTime, let path = paths.popLast() {
            guard let last = path.last else { continue }
            let isWay = path.count == 1 || places.between.contains(last.der)
            if last.isCopied || !isWay {
                if places.ends.contains(last.der), report.take(path) { return }
                if isWay { paths += signers(of: last, in: path).map { path + [$0] }.reversed() }
            } else {
                let policy = walk(from: last, after: path.dropLast())
                if policy.isDone { return }
                paths += policy.unfinished.reversed()
            }
        }
    }

    private func walk(from certificate: ReadCertificate, after path: ArraySlice<ReadCertificate>) -> WalkState.Value {
        let policy = ChainVerifierPolicy(
            verifyingCriticalExtensions: critical, candidates: candidates, path: Array(path), places: places,
            report: report)
        _ = InlineExecutor.run {
            var verifier = Verifier(rootCertificates: roots) { policy }
            return await verifier.validate(leaf: certificate.certificate, intermediates: between)
        }
        return policy.state.value
    }

    /// The issuers that have signed a certificate and are not in its path yet.
    private func signers(of certificate: ReadCertificate, in path: [ReadCertificate]) -> [ReadCertificate] {
        guard let all = issuers[certificate.issuerName] else { return [] }
        var named: [ReadCertificate] = []
        for issuer in all where named.count < SearchBudget.issuers {
            guard budget.isInTime else { return [] }
            if !path.holds(issuer) { named.append(issuer) }
        }
        return (budget.take(named) ?? []).filter(certificate.isSigned)
    }
}

/// Where certificates may stand in a chain, by their bytes.
struct ChainPlaces: Sendable {
    let ends: Set<[UInt8]>
    let between: Set<[UInt8]>
}

/// What a walk of swift-certificates brought, for which it has no other way out.
final class WalkState: Sendable {
    struct Value: Sendable {
        /// Whether a chain was found that needs no better one.
        var isDone = false
        /// The chains from whose last certificate this module walks on.
        var unfinished: [[ReadCertificate]] = []
    }

    private let stored: AdaptiveMutex<Value> = AdaptiveMutex(Value())
    var value: Value { stored.withLock { $0 } }

    func finish() { stored.withLock { $0.isDone = true } }
    func leave(_ path: [ReadCertificate]) { stored.withLock { $0.unfinished.append(path) } }
}

/// The policy that swift-certificates calls for each chain that reaches an end.
struct ChainVerifierPolicy: VerifierPolicy {
    /// All critical extensions that occur.
    ///
    /// The examination decides which are understood, because it names the defect.
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]
    let candidates: Candidates
    /// The certificates before the first one of this walk.
    let path: [ReadCertificate]
    let places: ChainPlaces
    let report: ChainReport
    let state = WalkState()

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let walked = chain.compactMap { candidates.read($0) }
        guard walked.count == chain.count, !walked.contains(where: path.holds), let last = walked.last else {
            return .failsToMeetPolicy(reason: "it is not looked at")
        }
        let whole = path + walked
        if places.ends.contains(last.der), report.take(whole) {
            state.finish()
            return .meetsPolicy
        }
        if last.isCopied, places.between.contains(last.der) {
            state.leave(whole)
        }
        return .failsToMeetPolicy(reason: "it has defects")
    }
}

extension [ReadCertificate] {
    /// Whether an authority's name and key are in the path already, so that another of its certificates only makes it
    /// longer.
    func holds(_ certificate: ReadCertificate) -> Bool {
        contains {
            $0.subjectName == certificate.subjectName
                && $0.certificate.publicKey == certificate.certificate.publicKey
        }
    }
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
