import ChatelaineModel
import TrustEvaluation
import TrustProtocol

/// Evaluates a good chain with the answers of servers, which may remove trust but never add it.
enum RevocationTarget {
    private static let mostAnswers = 4

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let isRequired = intake.flag()
        var fetched = FetchedEvidence()
        for _ in 0..<mostAnswers where !intake.isEmpty {
            let kind = intake.byte()
            let content = [UInt8](intake.take(intake.length()))
            switch kind {
            case 0: fetched.responses.append(content)
            case 1: fetched.responses.append(FuzzAuthority.response(content))
            case 2: fetched.responses.append(FuzzAuthority.response(FuzzAuthority.signed(content)))
            case 3: fetched.revocationLists.append(content)
            case 4: fetched.revocationLists.append(FuzzAuthority.signed(content))
            default: fetched.issuers.append(content)
            }
        }
        var flags: RevocationFlags = [.ocsp, .lists]
        if isRequired { flags.insert(.requirePositiveResponse) }
        // Once with the issuer in the chain; once the issuer has to be among the answers.
        for certificates in [[FuzzAuthority.leaf, FuzzAuthority.intermediate], [FuzzAuthority.leaf]] {
            var question = TrustQuestion(
                certificates,
                policies: [TrustPolicy(.ssl, name: "server.example.com"), TrustPolicy(.revocation, revocation: flags)])
            question.anchors = [FuzzAuthority.root]
            question.hasOwnAnchorsOnly = true
            check(question, fetched)
        }
    }

    private static func check(_ question: TrustQuestion, _ fetched: FetchedEvidence) {
        var trustCase = TrustCase(question, now: FuzzAuthority.date)
        trustCase.fetched = fetched
        let verdict = TrustEvaluator.judge(trustCase).verdict
        guard verdict.isTrusted else { return }
        precondition(verdict.chain.last?.certificate == FuzzAuthority.root, "trusted for what a server has sent")
    }
}
