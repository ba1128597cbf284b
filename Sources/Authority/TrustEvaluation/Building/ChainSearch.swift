import ChatelaineSystem
import CodeSignatures
import SwiftASN1
import TrustProtocol
import X509

/// Searches the best chain from a certificate.
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
        /// Whether the chain was the first one that led to an anchor.
        var isFirst = false
    }

    /// Returns a chain without a defect if there is one; otherwise the best one to report.
    ///
    /// - Parameter time: the limit for each of two walks.
    func run(time: Duration = SearchBudget.time) -> Found {
        let (budget, other) = (SearchBudget(time: time), SearchBudget(time: time))
        let report = walk(to: candidates.anchors, isAnchored: true, budget)
        if let anchored = report.best {
            return Found(
                chain: anchored, wasCutShort: !anchored.isGood && budget.wasCutShort, isFirst: report.count == 1)
        }
        // Nothing leads to an anchor, so the chain that leads furthest is reported.
        let longest = walk(to: candidates.between + candidates.anchors, isAnchored: false, other)
        return Found(
            chain: longest.best ?? examination.examine([candidates.leaf], isAnchored: false),
            wasCutShort: budget.wasCutShort || other.wasCutShort)
    }

    private func walk(to ends: [ReadCertificate], isAnchored: Bool, _ budget: SearchBudget) -> ChainReport {
        let report = ChainReport(examination, isAnchored: isAnchored, budget)
        ChainWalk(candidates, to: ends, report, budget).run()
        return report
    }
}

/// Examines the chains that a walk finds, and keeps the best one.
final class ChainReport: Sendable {
    private let examination: ChainExamination
    private let isAnchored: Bool
    private let budget: SearchBudget
    private let state: AdaptiveMutex<State> = AdaptiveMutex(State())

    private struct State: Sendable {
        var best: ExaminedChain?
        var count = 0
    }

    init(_ examination: ChainExamination, isAnchored: Bool, _ budget: SearchBudget) {
        self.examination = examination
        self.isAnchored = isAnchored
        self.budget = budget
    }

    var best: ExaminedChain? { state.withLock { $0.best } }
    /// The number of chains that were examined.
    var count: Int { state.withLock { $0.count } }

    /// Whether the walk can end, since this chain leads to an anchor and has no defect.
    func take(_ chain: [ReadCertificate]) -> Bool {
        guard budget.takeChain() else { return false }
        let examined = examination.examine(chain, isAnchored: isAnchored)
        state.withLock { state in
            state.count += 1
            if state.best.map({ examined.isBetter(than: $0) }) ?? true { state.best = examined }
        }
        return isAnchored && examined.isGood
    }
}
