import ChatelaineModel
import TrustEvaluation
import TrustProtocol

/// Evaluates made-up chains: only a chain that leads to the anchor may be trusted, whatever its content.
enum EvaluationTarget {
    private static let mostCertificates = 6
    private static let purposes: [TrustPolicy] = [
        TrustPolicy(.basic), TrustPolicy(.ssl, name: "server.example.com"), TrustPolicy(.ssl, name: "192.0.2.7"),
        TrustPolicy(.smime, name: "anna@example.com"), TrustPolicy(.codeSigning), TrustPolicy(.timeStamping),
    ]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let policy = purposes[intake.number(below: purposes.count)]
        var certificates: [[UInt8]] = []
        while !intake.isEmpty, certificates.count < mostCertificates {
            switch intake.byte() {
            case 0: certificates.append(FuzzAuthority.leaf)
            case 1: certificates.append(FuzzAuthority.intermediate)
            case 2: certificates.append([UInt8](intake.take(intake.length())))
            default: certificates.append(FuzzAuthority.signed(intake.take(intake.length())))
            }
        }
        guard !certificates.isEmpty else { return }
        var question = TrustQuestion(certificates, policies: [policy])
        question.anchors = [FuzzAuthority.root]
        question.hasOwnAnchorsOnly = true
        check(question)
        // A caller may make every given certificate an anchor.
        question.anchors = certificates
        check(question)
    }

    /// The question about a good certificate that has the same issuers.
    private static func sibling(of question: TrustQuestion) -> TrustCase {
        var sibling = question
        sibling.certificates[0] = FuzzAuthority.leaf
        return TrustCase(sibling, now: FuzzAuthority.date)
    }

    private static func check(_ question: TrustQuestion) {
        let judgement = TrustEvaluator.judge(TrustCase(question, now: FuzzAuthority.date))
        var former: FormerChain?
        _ = TrustEvaluator.judge(sibling(of: question), after: &former)
        precondition(
            TrustEvaluator.judge(TrustCase(question, now: FuzzAuthority.date), after: &former) == judgement,
            "a judgement depends on the last question")
        let (verdict, needs) = (judgement.verdict, judgement.needs)
        precondition(verdict.chain.first?.certificate == question.certificates.first, "another certificate was judged")
        precondition(verdict.chain.count <= TrustLimits.maximumChain, "a long chain")
        precondition(
            verdict.isTrusted == verdict.chain.allSatisfy(\.defects.isEmpty), "the result is not that of the defects")
        if verdict.isTrusted {
            precondition(question.anchors.contains { $0 == verdict.chain.last?.certificate }, "a chain to nobody")
        }
        var writer = CBORWriter()
        judgement.encode(to: &writer)
        writer.finishArray().withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            precondition((try? TrustJudgement(from: &reader)) == judgement, "a judgement does not reach securityd")
        }
        precondition(needs.count <= EvidenceLimits.maximumNeeds, "too many are to be asked")
    }
}

extension Intake {
    /// Takes a length of two bytes.
    mutating func length() -> Int { Int(byte()) << 8 | Int(byte()) }
}
