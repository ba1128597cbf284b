import CallerIdentity
import ChatelaineModel
import Glibc
import SystemCalls
import TrustProtocol

/// Has chains of certificates judged, with all that this user's machine says of them.
final class TrustService: Sendable {
    let roots: SystemRoots
    private let judge: any TrustJudging

    init(_ judge: any TrustJudging, log: Log, places: [String] = SystemRoots.places) {
        self.judge = judge
        roots = SystemRoots(places: places, reader: judge, log: log)
    }

    /// Waits for seconds where trustd takes that long; whoever calls it holds nothing.
    ///
    /// - Parameters:
    ///   - caller: the path of the program that asks; nil where nobody knows it.
    ///   - settings: the person's before the administrator's.
    func evaluate(
        _ question: TrustQuestion, for caller: String?, settings: [TrustSetting]
    ) throws(KeychainError) -> TrustVerdict {
        let given = question.certificates + question.anchors
        let named = question.hasOwnAnchorsOnly ? [] : try roots.index().candidates(for: given)
        let relevant = settings.filter { setting in
            (given + named).contains { $0 == setting.certificate || $0.contains(bytes: setting.subject) }
        }
        let settings = relevant.map { setting in
            TrustCase.Setting(
                certificate: setting.certificate,
                constraints: setting.constraints.filter { $0.application == nil || $0.application == caller })
        }
        // One all of whose constraints are for other programs says nothing to this one.
        let concerning = zip(relevant, settings).filter { $0.constraints.isEmpty || !$1.constraints.isEmpty }.map(\.1)
        return try judge.judge(TrustCase(question, roots: named, settings: concerning, now: Int64(time(nil))))
    }
}
