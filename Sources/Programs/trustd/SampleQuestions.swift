import ChatelaineModel
import CodeSignatures
import Glibc
import TrustEvaluation
import TrustProtocol

/// Questions about a team that exists nowhere, whose keys are forgotten at once.
enum SampleQuestions {
    private static let team = "SAMPLE0000"
    private static let identifier = team + ".sample"
    private static let digest = [UInt8](repeating: 7, count: 32)

    /// Each as it would come, those first that most programs have. Made once: workers have them from whoever forked them.
    static let frames: [[UInt8]] = all.map { question in
        var frame = CBORWriter()
        question.encode(to: &frame)
        return frame.finishArray()
    }

    /// Without those that cannot be made: then the first question of a worker takes longer, and nothing else is different.
    private static var all: [TrustRequest] {
        let good = SampleChain.question.map { TrustRequest.evaluation(TrustCase($0, now: Int64(time(nil)))) }
        return (good.map { [$0] } ?? []) + ofTeam
    }

    private static var ofTeam: [TrustRequest] {
        let now = Int64(time(nil))
        guard let team = TeamIdentifier(team), let digest = ExecutableDigest(digest),
            let identity = try? DevelopmentIdentity(team: team, commonName: "Sample", now: now),
            let signer = try? CodeSigner(SigningIdentity(files: [identity.signer])),
            let signature = try? signer.sign(.init(digest: digest, identifier: identifier, now: now)),
            let anchor = try? SignatureVerifier().examine(AnchorQuestion(file: identity.anchor, team: team, now: now)),
            let leaf = identity.signer.withUnsafeBytes({ RootBundle.read(Array($0)) }).first
        else { return [] }
        let root = anchor.anchor.certificate
        // Its purpose is another, so that all that can be wrong is looked at.
        var question = TrustQuestion([leaf.certificate, root], policies: [TrustPolicy(.ssl, name: SampleChain.host)])
        question.anchors = [root]
        return [
            .evaluation(TrustCase(question, now: now)), .certificates([leaf.certificate, root]),
            .signature(SignatureQuestion(signature: signature, digest: digest, anchor: anchor.anchor, now: now)),
        ]
    }
}
