import ChatelaineModel
import CodeSignatures
import Glibc
import TrustEvaluation
import TrustProtocol

/// Made-up questions about a team that does not exist, whose keys are discarded at once.
enum SampleQuestions {
    private static let team = "SAMPLE0000"
    private static let identifier = team + ".sample"
    private static let digest = [UInt8](repeating: 7, count: 32)

    /// The encoded questions, those that most programs ask first.
    ///
    /// They are made once: a forked worker inherits them.
    static let frames: [[UInt8]] = all.map { question in
        var frame = CBORWriter()
        question.encode(to: &frame)
        return frame.finishArray()
    }

    /// Leaves out questions that cannot be made.
    ///
    /// The first question of a worker then takes longer, and nothing else changes.
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
        // The policy does not fit the certificate's purpose, so that every check for defects runs.
        var question = TrustQuestion([leaf.certificate, root], policies: [TrustPolicy(.ssl, name: SampleChain.host)])
        question.anchors = [root]
        return [
            .evaluation(TrustCase(question, now: now)), .certificates([leaf.certificate, root]),
            .signature(SignatureQuestion(signature: signature, digest: digest, anchor: anchor.anchor, now: now)),
        ]
    }
}
